// What it costs that a turn is durable: agents that stream, each to a reader, against a server that pipes the same stub
// model through the same SDK to its client and keeps nothing. Model, server and readers are processes of their own, so that
// what is charged to a server is its own.
import { createHash } from "node:crypto";
import type { AnyEvent, FactData, LongText } from "../src/session/event.ts";
import { syncsAtPace, type DiskPace } from "./disk-pace.ts";
import { startHost, type Host } from "./host/host.ts";
import type { ModelCall, ModelSaid } from "./host/stub-model.ts";
import type { Lag, ReadersSaid, ReadTurn, ToReaders } from "./host/turn-readers.ts";
import { compare, quantile, takeTurns, weigh, type Finding, type Row, type Run } from "./measure.ts";
import { costOf, type Cost } from "./process-cost.ts";
import { figure } from "./report.ts";
import { serve, type Served } from "./served.ts";
import { send } from "./wire.ts";

/** A stall of the disk or of the machine makes a round worth ten times another: of three the median was chance. */
const ROUNDS = 7;
const FLOOR_ROUNDS = 1;
const TOKENS = 500;
const TOKENS_PER_SECOND = 50;
const EVERY_MS = 10;
const MODEL = `stamps-${TOKENS}-at-${TOKENS_PER_SECOND}`;

export const turnRows: Row[] = [1, 50, 200].map(turnsRow);

function turnsRow(count: number): Row {
  return {
    name: `turns-${count}`,
    title: `${count === 1 ? "a turn" : `${count} turns at once`}, ${TOKENS} tokens each at ${TOKENS_PER_SECOND} a second, each with a reader over SSE`,
    reading:
      "Against a server that pipes an AI SDK stream of the same model to its client and keeps nothing; 1 × would mean that durability costs nothing. CPU is user and system time of the server's process with all its threads, memory the highest of samples. In every round the log is read back and must hold every token that was shown.",
    async measure(run) {
      const { wire, ...rivals } = await contenders(run, count);
      const rounds = await takeTurns(ROUNDS, rivals);
      return findingsOf(count, { ...rounds, ...(await takeTurns(FLOOR_ROUNDS, { wire })) });
    },
  };
}

type Round = Cost & { lag: Lag; beforeMs: number[]; afterMs: number[]; disk?: DiskPace };
/** `wire` is the bare server without the SDK's own loop: not what people write, but the floor. */
type Contender = "holdfast" | "bare" | "wire";

async function contenders(run: Run, count: number): Promise<Record<Contender, () => Promise<Round>>> {
  const model = await startModel(run.stack);
  const readers = await startReaders(run.stack);
  const folder = await run.folder();
  const ours = await serve(run.stack, { home: await run.folder(), config: configFor(model) });
  const holdfast = async () => {
    const names: string[] = [];
    for (let n = 0; n < count; n++) names.push(await createSession(ours));
    const { url, token, pid } = ours;
    const turns = { server: "holdfast", url, token, names, everyMs: EVERY_MS } as const;
    const measured = await follow(model, readers, pid, turns);
    for (const turn of measured.turns) await checkLog(ours, turn);
    return { ...measured.round, disk: await syncsAtPace(folder, TOKENS, TOKENS_PER_SECOND) };
  };
  const pipe = async (how: "streamText" | "doStream") => {
    const { ready } = await startHost<BareReady>(run.stack, "bare-pipe", how, model.baseUrl, MODEL);
    let round = 0;
    return async () => {
      const names = Array.from({ length: count }, (_, n) => `turn-${round}-${n}`);
      round++;
      const turns = { server: "bare", url: ready.url, names, everyMs: EVERY_MS } as const;
      return (await follow(model, readers, ready.pid, turns)).round;
    };
  };
  return { holdfast, bare: await pipe("streamText"), wire: await pipe("doStream") };
}

type BareReady = { url: string; pid: number };

async function follow(
  model: Model,
  readers: Host<ReadersSaid>,
  pid: number,
  told: ToReaders,
): Promise<{ round: Round; turns: ReadTurn[] }> {
  const cost = await costOf(pid);
  readers.tell(told);
  const said = await readers.next();
  const { cpuMs, peakMb } = await cost();
  if (!("turns" in said)) throw new Error("the readers did not say what they read");
  const calls = new Map((await model.calls()).map((call) => [call.prompt, call]));
  const { turns, lag } = said;
  return {
    turns,
    round: {
      cpuMs,
      peakMb,
      lag,
      beforeMs: turns.map(({ name, sentAt }) => callOf(calls, name).askedAt - sentAt),
      afterMs: turns.map(({ name, endedAt }) => endedAt - (callOf(calls, name).endedAt ?? Number.NaN)),
    },
  };
}

function callOf(calls: ReadonlyMap<string, ModelCall>, prompt: string): ModelCall {
  const call = calls.get(prompt);
  if (!call) throw new Error(`the model was never asked for ${prompt}`);
  return call;
}

/** Every token was said, shown once, and is in the log. */
async function checkLog(server: Served, { name, words, digest }: ReadTurn): Promise<void> {
  const { body } = await send(server, "GET", `/api/sessions/${name}/events?offset=-1`);
  const events = JSON.parse(body.toString()) as AnyEvent[]; // as the server wrote it
  const step = events.find(({ type }) => type === "step_completed");
  const { message } = (step?.data ?? { message: [] }) as Pick<FactData<"step_completed">, "message">; // as its type says
  const kept = message.map((piece) => (piece.type === "text" ? wholeText(piece.text) : ""));
  const isWhole = createHash("sha256").update(kept.join("")).digest("hex") === digest;
  if (words !== TOKENS || !isWhole)
    throw new Error(`${name}: of ${TOKENS} tokens ${words} were shown, and the log has others`);
}

/** So few tokens are never long enough for a blob. */
function wholeText(text: LongText): string {
  if (typeof text !== "string") throw new Error("a text of this length went into a blob");
  return text;
}

function findingsOf(count: number, { holdfast, bare, wire }: Record<Contender, Round[]>): Finding[] {
  const turns = count === 1 ? "1 turn" : `${count} turns`;
  const against = (what: string, unit: string, pick: (round: Round) => number, details: string[] = []) =>
    compare({
      what: `${what}, ${turns}`,
      unit,
      target: { atMost: 1.5 },
      ours: holdfast.map(pick),
      baseline: bare.map(pick),
      baselineName: "bare node:http, every part of streamText written as it comes",
      details: [...details, `the same with only the provider's doStream: ${middle(wire, pick)} ${unit}`],
    });
  return [
    against("CPU for 1,000 tokens", "ms", ({ cpuMs }) => cpuMs / ((count * TOKENS) / 1000), [
      `1,000 syncs of the disk at the pace of one turn take ${middle(holdfast, ({ disk }) => disk?.cpuMsOf1000 ?? Number.NaN)} ms by themselves: one turn's words are synced one by one, those of many together`,
    ]),
    against("p99 lag from model to reader", "ms", ({ lag }) => lag.p99Ms, [
      `of what is said while all of them speak; ${versus(({ lag }) => lag.medianMs, "median")}`,
      versus(({ lag }) => lag.p99OfAllMs, "p99 with their beginnings and ends"),
      `the disk alone, right after each round, syncs ${TOKENS_PER_SECOND} times a second with a p99 of ${middle(holdfast, ({ disk }) => disk?.p99Ms ?? Number.NaN)} ms: what is shown is durable, so a stall there is one here`,
    ]),
    against("peak memory", "MB", ({ peakMb }) => peakMb),
    weigh({
      what: `overhead of a turn, ${turns}`,
      unit: "ms",
      target: { atMost: 50 },
      ours: holdfast.map((round, n) => waiting(round, 0.5) - waiting(bare[n], 0.5)),
      details: [
        "what a turn waits for more than the bare one: from sending the input until the model sees the request, and from the end of the model's answer until the reader has turn_ended; the median of a round's turns",
        versus((round) => waiting(round, 0.5), "it waits"),
        versus((round) => waiting(round, 0.99), "p99 of turns"),
      ],
    }),
  ];

  function versus(pick: (round: Round) => number, what: string): string {
    return `${what} ${middle(holdfast, pick)} ms against ${middle(bare, pick)} ms`;
  }
}

function middle(rounds: Round[], pick: (round: Round) => number): string {
  return figure(quantile(rounds.map(pick), 0.5));
}

/** While nobody speaks: before the model and after it. */
function waiting(round: Round | undefined, q: number): number {
  const { beforeMs = [], afterMs = [] } = round ?? {};
  return quantile(
    beforeMs.map((before, n) => before + (afterMs[n] ?? Number.NaN)),
    q,
  );
}

export type Model = { baseUrl: string; calls(): Promise<ModelCall[]> };

export async function startModel(stack: AsyncDisposableStack): Promise<Model> {
  const host = await startHost<ModelSaid>(stack, "stub-model");
  if (!("baseUrl" in host.ready)) throw new Error("the model did not say where it is");
  return {
    baseUrl: host.ready.baseUrl,
    async calls() {
      host.tell({});
      const said = await host.next();
      return "calls" in said ? said.calls : [];
    },
  };
}

function startReaders(stack: AsyncDisposableStack): Promise<Host<ReadersSaid>> {
  return startHost<ReadersSaid>(stack, "turn-readers");
}

export function configFor({ baseUrl }: Model, model = MODEL): string {
  return `[executor]
maxTurns = 250
[providers.stub]
kind = "openai-compatible"
baseUrl = "${baseUrl}"
[profiles.default]
model = "stub/${model}"
`;
}

export async function createSession(server: Served, input?: object): Promise<string> {
  const { status, body } = await send(server, "POST", "/api/sessions", { input });
  if (status !== 201) throw new Error(`a session could not be created: ${status}`);
  return (JSON.parse(body.toString()) as { id: string }).id;
}
