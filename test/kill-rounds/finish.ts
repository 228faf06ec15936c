// The end of a round: whoever waits for a person gets their answers, eight at once, and every session comes to its end.
import { expect } from "vitest";
import type { AnyEvent } from "../../src/session/event.ts";
import type { AgentServer } from "../agent-server.ts";
import type { Begun, Round } from "./round.ts";

const ANSWERS = 8;

export type Ending = Begun & { log: AnyEvent[] };

export async function finishRound(
  server: AgentServer,
  { sessions, follower }: Pick<Round, "sessions" | "follower">,
): Promise<Ending[]> {
  return Promise.all(
    sessions.map(async (work): Promise<Ending> => {
      const { name, kind, session } = work;
      const count = (...types: string[]) =>
        new Set(
          follower
            .seen(session)
            .filter(({ type }) => types.includes(type))
            .map(({ data, position }) => (data as { process?: string }).process ?? position),
        ).size;
      if (kind === "approval") {
        await follower.until(`${name} asks`, () => count("ask_opened") > 0);
        await answerOnce(server, session, follower.seen(session));
      }
      // What runs in the background is told by whoever watches it, in its own time.
      await follower.until(
        `${name} is over`,
        () => count("turn_ended") > 0 && count("process_exited", "process_lost") >= count("process_started"),
      );
      return { ...work, log: await server.log(session) };
    }),
  );
}

async function answerOnce(server: AgentServer, session: string, log: readonly AnyEvent[]): Promise<void> {
  const ask = (log.find(({ type }) => type === "ask_opened")?.data as { ask: string } | undefined)?.ask;
  const row = (await (await server.fetch(`/api/asks/${ask}`)).json()) as { state: string };
  expect(row).toMatchObject({ session, state: "open" });
  const answers = Array.from({ length: ANSWERS }, () =>
    server.fetch(`/api/asks/${ask}/answer`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ choice: "once" }),
    }),
  );
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(ANSWERS - 1).fill(409)]);
}
