// Those who send and watch, in a process of their own: bare sockets that cost as little as they can, since they share the
// machine with what is measured. Told to, each begins a turn and follows it to its end; the words are times of day, so how
// late each came is known at once.
import { createHash } from "node:crypto";
import { quantile } from "../measure.ts";
import { send } from "../wire.ts";
import { say, whenTold } from "./host.ts";
import { readLines } from "./lines.ts";

export type ToReaders = {
  server: "holdfast" | "bare";
  url: string;
  token?: string;
  /** Prompts of the bare server; for Holdfast, the sessions that get them. */
  names: string[];
  /** Between the beginnings of two turns: people do not press Enter all at once. */
  everyMs: number;
};

export type ReadTurn = {
  name: string;
  sentAt: number;
  /** Its first word was said. */
  beganAt: number;
  endedAt: number;
  words: number;
  digest: string;
};
export type Lag = { medianMs: number; p99Ms: number; p99OfAllMs: number };
export type ReadersSaid = { ready: true } | { turns: ReadTurn[]; lag: Lag };

type Turn = { name: string; sentAt: number; text: string; ended: PromiseWithResolvers<number> };

/** Of each word: when it was said, and how much later it was read. */
let words: { saidAt: number; lagMs: number }[] = [];

whenTold((told: ToReaders) => {
  follow(told).catch((error: unknown) => {
    throw error;
  });
});
say({ ready: true } satisfies ReadersSaid);

async function follow(told: ToReaders): Promise<void> {
  words = [];
  const begin = told.server === "holdfast" ? beginHoldfast : beginBare;
  const from = clock();
  const turns = await Promise.all(
    told.names.map(async (name, n): Promise<ReadTurn> => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, n * told.everyMs - (clock() - from))));
      const turn: Turn = { name, sentAt: 0, text: "", ended: Promise.withResolvers() };
      await begin(told, turn);
      const endedAt = await turn.ended.promise;
      const digest = createHash("sha256").update(turn.text).digest("hex");
      const stamps = turn.text.split(" ");
      return {
        name,
        sentAt: turn.sentAt,
        beganAt: Number(stamps[0]),
        endedAt,
        words: stamps.length - 1,
        digest,
      };
    }),
  );
  say({ turns, lag: lagOf(turns) } satisfies ReadersSaid);
}

/** While all of them speak: what their beginnings and ends cost is told apart. */
function lagOf(turns: ReadTurn[]): Lag {
  const from = Math.max(...turns.map(({ beganAt }) => beganAt));
  const to = Math.min(...turns.map(({ endedAt }) => endedAt));
  const lags = words.filter(({ saidAt }) => saidAt >= from && saidAt <= to).map(({ lagMs }) => lagMs);
  const all = words.map(({ lagMs }) => lagMs);
  return { medianMs: quantile(lags, 0.5), p99Ms: quantile(lags, 0.99), p99OfAllMs: quantile(all, 0.99) };
}

/** Attached first, then sent: as a page does that shows the session. */
async function beginHoldfast({ url, token = "" }: ToReaders, turn: Turn): Promise<void> {
  const attached = Promise.withResolvers<void>();
  const path = `/api/sessions/${turn.name}/events?offset=now&live=sse`;
  const socket = readLines(url, path, token, (line) => {
    if (line.startsWith("data: [")) takeEvents(turn, JSON.parse(line.slice(6)) as LogEvent[]);
    else if (line.includes("upToDate")) attached.resolve();
  });
  void turn.ended.promise.then(() => socket.destroy());
  await attached.promise;
  turn.sentAt = clock();
  const input = { kind: "prompt", text: turn.name };
  const { status } = await send({ url, token }, "POST", `/api/sessions/${turn.name}/inputs`, input);
  if (status !== 202) throw new Error(`an input was answered with ${status}`);
}

type LogEvent = { type: string; data: { text?: string; message?: { text?: string }[] } };

/** The last words may come with the fact alone. */
function takeEvents(turn: Turn, events: LogEvent[]): void {
  for (const { type, data } of events) {
    if (type === "draft") takeWords(turn, data.text ?? "");
    else if (type === "step_completed") takeWords(turn, wholeOf(data).slice(turn.text.length));
    else if (type === "turn_ended") turn.ended.resolve(clock());
  }
}

function wholeOf({ message = [] }: LogEvent["data"]): string {
  return message.map(({ text }) => text ?? "").join("");
}

/** The request is the turn. */
async function beginBare({ url }: ToReaders, turn: Turn): Promise<void> {
  turn.sentAt = clock();
  const socket = readLines(url, `/?prompt=${turn.name}`, "", (line) => {
    if (!line.startsWith("data: ")) return;
    const part = JSON.parse(line.slice(6)) as { type: string; delta?: string };
    if (part.type === "text-delta") takeWords(turn, part.delta ?? "");
    else if (part.type === "finish") turn.ended.resolve(clock());
  });
  void turn.ended.promise.then(() => socket.destroy());
}

function takeWords(turn: Turn, text: string): void {
  const now = clock();
  turn.text += text;
  for (const stamp of text.split(" "))
    if (stamp !== "") words.push({ saidAt: Number(stamp), lagMs: now - Number(stamp) });
}

function clock(): number {
  return performance.timeOrigin + performance.now();
}
