// What a crash costs those who watch: 200 agents speak, their server gets `kill -9`, and each of 200 readers waits for the
// first word of the attempt that follows, from a new process or from another node. What they had been shown must be in the log.
import { setTimeout as delay } from "node:timers/promises";
import type { AnyEvent, DraftData } from "../src/session/event.ts";
import type { AttemptReadersSaid, Shown, ToAttemptReaders } from "./host/attempt-readers.ts";
import { startHost, type Host } from "./host/host.ts";
import { weigh, type Finding, type Row } from "./measure.ts";
import { figure } from "./report.ts";
import { serve, type Served } from "./served.ts";
import { configFor, createSession, startModel } from "./turns.ts";
import { send } from "./wire.ts";

const TURNS = 200;
const ROUNDS = 3;
/** What takes longer did not go on. */
const WITHIN_MS = 60_000;
/** The other node is no longer starting: in the first second it compiles nothing, to be ready sooner. */
const SETTLED_MS = 2_000;
/** Longer than a round: nobody comes to an end. */
const MODEL = "words-10000-at-50";

export const turnsKilled: Row = {
  name: "turns-killed",
  title: `kill -9 with ${TURNS} turns streaming 50 tokens a second each, SQLite: until all go on`,
  reading:
    "A figure of its own: from the spawn of the new process until the last of 200 readers, each back at its position over SSE, has words of the attempt that follows. All that they had been shown is looked for in the log.",
  async measure(run) {
    const model = await startModel(run.stack);
    const rounds: number[] = [];
    const readyMs: number[] = [];
    for (let n = 0; n <= ROUNDS; n++) {
      await using life = new AsyncDisposableStack();
      const place = { home: await run.folder(), config: configFor(model, MODEL) };
      const first = await serve(life, place);
      const readers = await startReaders(life, first, await startTurns(first));
      const before = await wordsOf(readers, 1);
      await first.kill();
      const from = performance.timeOrigin + performance.now();
      const again = serve(life, { ...place, port: Number(new URL(first.url).port) });
      const { at } = await wordsOf(readers, 2);
      const second = await again;
      for (const shown of before.shown) await checkShown(second, shown);
      await second.kill();
      if (n === 0) continue; // it may compile
      rounds.push(at - from);
      readyMs.push(second.readyMs);
    }
    return [
      finding("all go on after kill -9, SQLite", 2_000, rounds, [
        `the new process was ready after ${figure(Math.min(...readyMs))} to ${figure(Math.max(...readyMs))} ms`,
      ]),
    ];
  },
};

export const turnsKilledPostgres: Row = {
  name: "turns-killed-postgres",
  title: `kill -9 with ${TURNS} turns streaming 50 tokens a second each, PostgreSQL: until all go on by failover`,
  reading:
    "A figure of its own: from the signal until the last of 200 readers, attached to the other node all the while, has words of the attempt that follows. The other node is on the same host, two seconds old, and has done no turn before. All that they had been shown is looked for in the log.",
  async measure(run) {
    const model = await startModel(run.stack);
    const rounds: number[] = [];
    for (let n = 0; n <= ROUNDS; n++) {
      await using life = new AsyncDisposableStack();
      const config = configFor(model, MODEL);
      const place = { home: await run.folder(), database: await run.database(), config };
      const first = await serve(life, place);
      const sessions = await startTurns(first);
      const second = await serve(life, place);
      const readers = await startReaders(life, second, sessions);
      await wordsOf(readers, 1);
      await delay(SETTLED_MS);
      const before = await wordsOf(readers, 1);
      const from = performance.timeOrigin + performance.now();
      await first.kill();
      const { at } = await wordsOf(readers, 2);
      for (const shown of before.shown) await checkShown(second, shown);
      await second.kill();
      if (n > 0) rounds.push(at - from); // the first may compile
    }
    return [finding("all go on after kill -9, PostgreSQL", 1_000, rounds, [])];
  },
};

function finding(what: string, atMost: number, ours: number[], details: string[]): Finding {
  return weigh({ what: `${what}, ${TURNS} turns`, unit: "ms", target: { atMost }, ours, details });
}

async function startTurns(server: Served): Promise<string[]> {
  const sessions: string[] = [];
  for (let n = 0; n < TURNS; n++)
    sessions.push(await createSession(server, { kind: "prompt", text: "Go on." }));
  return sessions;
}

async function startReaders(
  stack: AsyncDisposableStack,
  { url, token }: Served,
  follow: string[],
): Promise<Host<AttemptReadersSaid>> {
  const readers = await startHost<AttemptReadersSaid>(stack, "attempt-readers");
  readers.tell({ follow, url, token } satisfies ToAttemptReaders);
  return readers;
}

async function wordsOf(
  readers: Host<AttemptReadersSaid>,
  attempt: number,
): Promise<{ at: number; shown: Shown[] }> {
  readers.tell({ attempt } satisfies ToAttemptReaders);
  const said = await Promise.race([readers.next(), delay(WITHIN_MS, undefined, { ref: false })]);
  if (said === undefined)
    throw new Error(`not all sessions had words of attempt ${attempt} in ${WITHIN_MS} ms`);
  if (!("at" in said)) throw new Error("the readers did not say when they had all of them");
  return said;
}

/** Word for word, from the part's beginning: drafts of an attempt that died stay in the log. */
async function checkShown(server: Served, { session, part, text }: Shown): Promise<void> {
  const { body } = await send(server, "GET", `/api/sessions/${session}/events?offset=-1`);
  const kept = (JSON.parse(body.toString()) as AnyEvent[]) // as the server wrote it
    .filter(({ type }) => type === "draft")
    .map(({ data }) => data as DraftData) // as its type says
    .filter((draft) => draft.part === part)
    .map((draft) => draft.text);
  if (!kept.join("").startsWith(text))
    throw new Error(`${session}: words that were shown are not in the log`);
}
