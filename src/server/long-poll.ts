// Waits until a log has grown past a position, or nothing has happened for a while.
import type { FastifyReply } from "fastify";
import type { Position } from "../session/position.ts";
import type { LogId } from "../store/store.ts";
import type { Context } from "./context.ts";
import type { Reader } from "./feed.ts";
import type { CloseReason } from "./open-streams.ts";

export type Waited = "more" | "nothing" | "closed" | "deleted" | CloseReason;

export async function waitForMore(
  context: Context,
  { request, raw }: FastifyReply,
  log: LogId,
  after: Position,
): Promise<Waited> {
  if (context.access.isRevoked(request.caller)) return "revoked";
  const life = new AbortController();
  let waited: Waited = "nothing";
  const end = (outcome: Waited) => {
    waited = outcome;
    life.abort();
  };
  const reader: Reader = {
    position: after,
    replay: () => {
      end("more");
      return Promise.resolve(false);
    },
    joined: () => undefined,
    live: () => end("more"),
    closed: () => end("closed"),
    gone: (reason) => end(reason === "deleted" ? "deleted" : "shutdown"),
  };
  const timer = setTimeout(() => end("nothing"), context.limits.longPollMs);
  const left = () => end("nothing");
  raw.once("close", left);
  const remove = context.streams.add({ kind: "long_poll", credential: request.caller.id, close: end });
  try {
    await context.feeds.follow(log, reader, life.signal);
    return waited;
  } finally {
    clearTimeout(timer);
    raw.off("close", left);
    remove();
  }
}
