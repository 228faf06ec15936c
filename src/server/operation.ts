// For whoever operates the server: does it live, can it commit, how is it doing.
import { z } from "zod";
import { problem } from "../protocol/problem.ts";
import { StorageError } from "../store/store.ts";
import type { Context } from "./context.ts";
import { sendProblem } from "./errors.ts";
import { NOT_LOADED } from "./profiles.ts";
import { CONTENT_TYPE } from "./tally.ts";
import type { App } from "./zod.ts";

/** Anyone may ask for readiness, so that a commit is tried at most this often however many do. */
const PROBE_MS = 1_000;
const FAR_FUTURE = "9999-12-31T00:00:00.000Z";

const Alive = z.object({ ok: z.literal(true) });

export function operationRoutes(app: App, context: Context): void {
  const { metrics } = context;
  const readiness = makeReadiness(context);

  app.get(
    "/healthz",
    { config: { open: true }, schema: { summary: "The process lives", response: { 200: Alive } } },
    async (_, reply) => reply.header("cache-control", "no-store").send({ ok: true as const }),
  );
  app.get(
    "/readyz",
    { config: { open: true }, schema: { summary: "It can commit", response: { 200: Alive } } },
    async (_, reply) => {
      const reason = await readiness();
      if (reason !== undefined) return sendProblem(reply, problem("not_ready", reason));
      return reply.header("cache-control", "no-store").send({ ok: true as const });
    },
  );
  app.get(
    "/metrics",
    { schema: { summary: "For Prometheus", answers: { 200: ["text/plain"] } } },
    async (_, reply) => reply.type(CONTENT_TYPE).send(metrics.text()),
  );
}

/** Undefined when a commit really went through; else why not. While agents are loaded, whoever needs them only waits for them. */
function makeReadiness({ store, now, closing, agents, limits }: Context): () => Promise<string | undefined> {
  const startedAt = now();
  let last: { at: number; reason: Promise<string | undefined> } | undefined;
  const probe = async (): Promise<string | undefined> => {
    const health = store.health();
    if (!health.ok) return health.reason;
    try {
      // A timer that is never due, set and taken back: two commits that leave nothing.
      const key = `readyz:${store.node}`;
      await store.setTimer({ key, log: key, dueAt: FAR_FUTURE });
      await store.clearTimer(key);
      return undefined;
    } catch (error) {
      if (error instanceof StorageError) return error.message;
      throw error;
    }
  };
  return () => {
    if (closing()) return Promise.resolve("The server is shutting down.");
    if (agents && !agents() && now() - startedAt >= limits.agentsMs) return Promise.resolve(NOT_LOADED);
    if (last === undefined || now() - last.at >= PROBE_MS) last = { at: now(), reason: probe() };
    return last.reason;
  };
}
