// One round: sessions of every kind at once on a real server, which is killed in the middle of it all, perhaps once more
// while it recovers, and then left alone until everything has come to its end.
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { Failpoint } from "../../src/failpoint.ts";
import type { AnyEvent } from "../../src/session/event.ts";
import type { AgentServer } from "../agent-server.ts";
import type { Chance } from "../simulation/chance.ts";
import { Follower } from "./follower.ts";
import { KINDS, promptOf, type Work } from "./work.ts";

export type Kill = { how: "random" } | { how: "failpoint"; name: Failpoint; nth: number };

export type Begun = Work & { session: string };

export type Round = {
  sessions: Begun[];
  /** What a reader was shown of each session before the last kill, and since. */
  follower: Follower;
  /** What each session had come to, as far as it was shown, when the server was killed, and that it had been taken over. */
  interrupted: AnyEvent[];
  kills: number;
};

const OF_EACH_KIND = 2;
/** A step may be taken over three times; a round stays well below. */
const SECOND_KILL = 0.3;

export async function playRound(
  server: AgentServer,
  name: string,
  kill: Kill,
  chance: Chance,
): Promise<Round> {
  const follower = new Follower(server);
  const interrupted: AnyEvent[] = [];
  let kills = 0;
  const comeBack = async (sessions: readonly Begun[]) => {
    kills += 1;
    for (const { session } of sessions) interrupted.push(...interruptedIn(follower.seen(session)));
    await server.start();
    follower.connect();
  };
  if (kill.how === "failpoint") {
    await server.kill();
    await server.start({ HOLDFAST_FAILPOINT: `${kill.name}:${kill.nth}` });
  }
  follower.connect();
  const works = Array.from({ length: OF_EACH_KIND }, (_, n) =>
    KINDS.map((kind): Work => ({ name: `${name}n${n}${kind}`, kind })),
  ).flat();
  const { known, all } = beginAll(server, follower, works);

  const die = async (seen: number) => {
    await follower.until(`event ${seen}`, () => follower.count >= seen);
    await server.kill("SIGKILL");
  };
  if (kill.how === "random") await die(chance.whole(20, 160));
  else expect([kill, (await server.ended()).signal]).toEqual([kill, "SIGKILL"]); // it was reached
  await comeBack(known);
  const sessions = await all;
  if (chance.happens(SECOND_KILL)) {
    await die(follower.count + chance.whole(1, 40));
    await comeBack(sessions);
  }
  return { sessions, follower, interrupted, kills };
}

/** Its last event, and in front of it that of the turn which another had left, if that goes on. */
function interruptedIn(seen: readonly AnyEvent[]): AnyEvent[] {
  const turn = seen.slice(seen.findLastIndex(({ type }) => type === "turn_ended") + 1);
  return [...turn.slice(0, -1).filter(({ type }) => type === "executor_recovered"), ...seen.slice(-1)];
}

/** Sends them all at once; whoever dies meanwhile is asked again. */
export function beginAll(server: AgentServer, follower: Follower, works: readonly Work[]) {
  const known: Begun[] = [];
  const all = Promise.all(
    works.map(async (work) => {
      const session = await begin(server, work);
      follower.follow(session);
      known.push({ ...work, session });
    }),
  ).then(() => known);
  return { known, all };
}

/** Under its key, until it is acknowledged: one session, however often it is asked for. */
async function begin(server: AgentServer, work: Work): Promise<string> {
  const answer = await insist(server, "/api/sessions", work.name, {
    input: { kind: "prompt", text: promptOf(work) },
  });
  expect([work.name, answer.status]).toEqual([work.name, 201]);
  return ((await answer.json()) as { id: string }).id;
}

/** The server may die under it, and be away for a while. */
export async function insist(
  server: AgentServer,
  path: string,
  key: string,
  body: unknown,
): Promise<Response> {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const answer = await server
      .fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
      })
      .catch(() => undefined);
    if (answer && answer.status !== 503) return answer;
    if (Date.now() > giveUpAt) throw new Error(`${path} was not answered:\n${server.output.slice(-4000)}`);
    await delay(10); // a server that starts needs the processor more than one that asks for it
  }
}
