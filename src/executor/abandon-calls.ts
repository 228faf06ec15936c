// Calls that were begun and that nobody goes on with, because their turn ends: what one that was killed left behind is
// taken away. That is best effort: a turn ends whether or not it could be.
import { openCalls } from "../session/next-step.ts";
import type { Place, Tool } from "../tool/tool.ts";
import type { HeldSession } from "./held-session.ts";

export type Abandoning = {
  tools: ReadonlyMap<string, Tool>;
  place: Place;
  log: { error(detail: object, message: string): void };
};

export async function abandonCalls(session: HeldSession, { tools, place, log }: Abandoning): Promise<void> {
  for (const { call, name, args, state } of openCalls(session.view)) {
    const tool = tools.get(name);
    if (state !== "started" || tool?.kind !== "plain" || !tool.abandon) continue;
    const parsed = tool.args.safeParse(args);
    if (!parsed.success) continue; // it never ran
    try {
      await tool.abandon(parsed.data, { ...place, call });
    } catch (error) {
      log.error({ session: session.id, call, err: error }, "what a call left behind could not be taken away");
    }
  }
}
