// Kill rounds: real servers on both stores, killed at each named line and at random moments, with sessions of every kind
// at work. Invariants 1, 3, 4, 5, 6 and 9, and the six properties of resuming.
//
// One round alone, by the name that a failure told: KILL_ROUND=r7 npx vitest run test/kill-rounds.test.ts
// For hours: npm run soak (KILL_ROUNDS random ones on each store, 6 unless told; KILL_SEED for others)
import { afterEach, describe, expect, it } from "vitest";
import type { Failpoint } from "../src/failpoint.ts";
import type { AnyEvent } from "../src/session/event.ts";
import { startAgentServer, type AgentServer, type AgentServerOptions, type Dialect } from "./agent-server.ts";
import { comparable, copyCrash } from "./kill-rounds/copied-crash.ts";
import { Follower } from "./kill-rounds/follower.ts";
import { finishRound, type Ending } from "./kill-rounds/finish.ts";
import { expectForksAgree, expectProperties } from "./kill-rounds/properties.ts";
import { beginAll, playRound, type Kill } from "./kill-rounds/round.ts";
import { conversation, PROFILE, THERE, type Heard, type Work } from "./kill-rounds/work.ts";
import { Chance } from "./simulation/chance.ts";

const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 6);
const SEED = Number(process.env["KILL_SEED"] ?? 1);
const ONLY = process.env["KILL_ROUND"];
/** Where two things happen at once, their order is nobody's promise. */
const ONE_THING_AT_A_TIME: readonly Work[] = (["talk", "command", "approval"] as const).flatMap((kind) =>
  [1, 2, 3].map((n) => ({ name: `c${n}${kind}`, kind })),
);
/** Many times what a round takes. */
const ROUND_MS = 60_000;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  it(
    "whatever line or moment a server is killed at, its sessions go on from what they held, and nothing is done twice",
    async () => {
      const heard: Heard = new Map();
      const server = await serve(dialect, heard);
      const sights = new Map<string, number>();
      let kills = 0;
      for (const [name, kill] of rounds()) {
        const chance = new Chance(SEED * 1_000_003 + Number(name.slice(1)));
        const round = await playRound(server, name, kill, chance);
        const endings = await finishRound(server, round);
        await expectProperties(server, round, endings, heard);
        await expectForksAgree(server, chance.pick(endings), chance);
        kills += round.kills;
        for (const sight of sightsOf(round.interrupted, endings))
          sights.set(sight, (sights.get(sight) ?? 0) + 1);
        round.follower.forget();
      }
      // A run that never came upon what it is about has shown nothing.
      const missing = ONLY === undefined ? SIGHTS.filter((sight) => !sights.has(sight)) : [];
      expect(missing).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(rounds().length);
    },
    ROUND_MS * rounds().length,
  );

  it("two servers that recover from one crash write the same log", { timeout: ROUND_MS * 4 }, async () => {
    const chance = new Chance(SEED);
    const heard: Heard = new Map();
    const server = await serve(dialect, heard);
    const follower = new Follower(server);
    follower.connect();
    const { known, all } = beginAll(server, follower, ONE_THING_AT_A_TIME);
    await follower.until("some work is done", () => follower.count >= 30);
    await all;
    const moment = follower.count + chance.whole(5, 60);
    await follower.until("it is in the middle of it", () => follower.count >= moment);
    await server.kill("SIGKILL");

    const { home, workspace, database } = await copyCrash(server);
    if (database) cleanups.push(() => database.drop());
    const other = await serve(dialect, heard, {
      home,
      workspace,
      ...(database && { databaseUrl: database.url }),
    });
    await server.start();
    const [ours, theirs] = await Promise.all(
      [server, other].map(async (each) => {
        const watching = new Follower(each);
        watching.connect();
        for (const { session } of known) watching.follow(session);
        const endings = await finishRound(each, { sessions: known, follower: watching });
        watching.forget();
        return endings.map(({ name, log }) => [name, comparable(log, each.workspace)]);
      }),
    );
    expect(ours).toEqual(theirs);
    expect(JSON.stringify(ours)).toContain("executor_recovered");
    follower.forget();
  });
});

/** At each named line, early and late, then at random. */
function rounds(): [name: string, kill: Kill][] {
  const kills: Kill[] = [];
  for (const [name, late] of Object.entries(LATE) as [Failpoint, number][])
    for (const nth of new Set([1, late])) kills.push({ how: "failpoint", name, nth });
  for (let n = 0; n < ROUNDS; n++) kills.push({ how: "random" });
  return kills
    .map((kill, n): [string, Kill] => [`r${n + 1}`, kill])
    .filter(([name]) => ONLY === undefined || name === ONLY);
}

/** How often a round passes each line at the least. */
const LATE: Record<Failpoint, number> = {
  "before-commit": 40,
  "after-commit": 40,
  "after-intent": 15,
  "mid-write": 1,
  "after-effect": 15,
  "mid-stream": 20,
  "between-tools": 4,
};

const SIGHTS = [
  "a model was speaking",
  "a command was running",
  "an approval was open",
  "words broke off, stayed, and were said anew",
  "a server died over what another had left",
];

function sightsOf(interrupted: readonly AnyEvent[], endings: readonly Ending[]): string[] {
  const sights: string[] = [];
  for (const { type } of interrupted) {
    if (type === "draft") sights.push(SIGHTS[0]!);
    if (type === "tool_started") sights.push(SIGHTS[1]!);
    if (type === "ask_opened") sights.push(SIGHTS[2]!);
    if (type === "executor_recovered") sights.push(SIGHTS[4]!);
  }
  for (const { kind, log } of endings)
    if (
      kind === "talk" &&
      log.some(({ type }) => type === "step_aborted") &&
      log.some(({ type }) => type === "draft")
    )
      sights.push(SIGHTS[3]!);
  return sights;
}

async function serve(
  dialect: Dialect,
  heard: Heard,
  place: Pick<AgentServerOptions, "home" | "workspace" | "databaseUrl"> = {},
): Promise<AgentServer> {
  const server = await startAgentServer(
    { dialect, says: conversation(heard), profile: PROFILE, ...place },
    (cleanup) => cleanups.push(cleanup),
  );
  await server.touch(THERE);
  return server;
}
