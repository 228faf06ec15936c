// The history checker: what a reader saw, compared with what the log holds. Shared by every scenario with a reader.
import { expect } from "vitest";
import type { AnyEvent } from "../src/session/event.ts";
import { formatPosition } from "../src/session/position.ts";
import type { ServerProcess } from "./server-process.ts";

/** Each fact once, in order, from the first to the last: and each the very fact that the log holds. */
export function expectEveryFactOnce(seen: readonly AnyEvent[], log: readonly AnyEvent[]): void {
  expect(facts(seen).map(({ position }) => position)).toEqual(
    facts(log).map((_, n) => formatPosition(n + 1, 0)),
  );
  expect(facts(seen)).toEqual(facts(log));
}

export function facts(events: readonly AnyEvent[]): AnyEvent[] {
  return events.filter(({ type }) => type !== "draft");
}

/** The whole log by plain catch-up reads, as any HTTP client would get it. */
export async function readLog(server: ServerProcess, session: string): Promise<AnyEvent[]> {
  const events: AnyEvent[] = [];
  let offset = "-1";
  for (let page = 0; page < 10_000; page++) {
    const answer = await server.fetch(`/api/sessions/${session}/events?offset=${offset}`);
    expect(answer.status).toBe(200);
    events.push(...((await answer.json()) as AnyEvent[]));
    offset = answer.headers.get("stream-next-offset") ?? "";
    if (answer.headers.get("stream-up-to-date") === "true") return events;
  }
  throw new Error("the log did not end within 10,000 pages");
}
