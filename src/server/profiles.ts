// GET /api/profiles: the agents that there are, and whether each can work here.
import { setTimeout as delay } from "node:timers/promises";
import * as http from "../protocol/http.ts";
import type { Context } from "./context.ts";
import type { LiveProcesses } from "./process-rows.ts";
import { refuse, refuseField } from "./refusal.ts";
import type { App } from "./zod.ts";

/** What the server has to know of agents to check what it is asked for. It runs none itself. */
export type KnownAgents = {
  profiles: readonly http.ProfileInfo[];
  /** Why this model can't be used; undefined when it can. */
  modelFault(model: string): string | undefined;
  /** What this machine knows of the processes that run on it. */
  processes?: LiveProcesses;
};

/** Of a session that names none. It is always there. */
export const DEFAULT_PROFILE = "default";

export function profileRoutes(app: App, context: Context): void {
  app.get(
    "/api/profiles",
    { schema: { summary: "List the agents that there are", response: { 200: http.ProfileList } } },
    async () => {
      return { items: [...((await knownAgents(context))?.profiles ?? [])], next: null };
    },
  );
}

const LOOK_AGAIN_MS = 20;
export const NOT_LOADED = "The agents are still being loaded; try again in a moment.";

export async function checkProfile(context: Context, name: string): Promise<void> {
  if (name === DEFAULT_PROFILE) return;
  const profiles = (await knownAgents(context))?.profiles;
  if (!profiles || profiles.some((profile) => profile.name === name)) return;
  const known = profiles.map((profile) => profile.name).join(", ");
  refuseField("body.profile", `names no profile: "${name.slice(0, 100)}". There are: ${known}`);
}

export async function checkModel(context: Context, model: string): Promise<void> {
  const fault = (await knownAgents(context))?.modelFault(model);
  if (fault !== undefined) refuseField("body.model", `can't be used: ${fault}`);
}

/** Output stays in its file, on the machine that it was said on. */
export async function liveHere(context: Context): Promise<LiveProcesses> {
  const known = await knownAgents(context);
  return known?.processes ?? refuse("not_ready", "No processes are run here.");
}

/**
 * Undefined where no agents work. Where they do, clients are served before they are loaded: whoever needs them then waits a
 * moment instead of being sent away, since the server has said that it is ready.
 */
export async function knownAgents({ agents, now, limits }: Context): Promise<KnownAgents | undefined> {
  if (!agents) return undefined;
  const until = now() + limits.agentsMs;
  while (!agents() && now() < until) await delay(LOOK_AGAIN_MS);
  return agents() ?? refuse("not_ready", NOT_LOADED);
}
