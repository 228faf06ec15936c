// Whether a long log costs more at its end than a short one. Two stores for each dialect, one with a log of 1,000 events
// and one with a log of 1,000,000, each served by a process of its own and asked in turn.
import { join } from "node:path";
import { SHORT_TEXTS } from "./executor-facts.ts";
import { fillSession } from "./fill.ts";
import { alternate, compare, medians, type Finding, type Row, type Run } from "./measure.ts";
import { openPostgres, openSqlite } from "./open-store.ts";
import { serve, type Served } from "./served.ts";
import { followSocket, open, send, withdraw } from "./wire.ts";

const ROUNDS = 7;
const APPENDS = 60;
const ATTACHES = 40;
const SHORT = 1_000;
const LONG = 1_000_000;
const SESSION = "ses_bench_growth";

export const growth: Row = {
  name: "growth",
  title: "an append and an attach at the tail as a log grows from 1,000 to 1,000,000 events",
  reading:
    "1 × means that the length of a log makes no difference. Logs are made by the store's own verbs, 1,000 facts to an append.",
  async measure(run) {
    return [...(await growthOn(run, "sqlite")), ...(await growthOn(run, "postgres"))];
  },
};

async function growthOn(run: Run, dialect: "sqlite" | "postgres"): Promise<Finding[]> {
  const short = await serveLog(run, dialect, SHORT);
  run.say(`filling a log with 1,000,000 events on ${dialect}`);
  const long = await serveLog(run, dialect, LONG);
  const append = await alternate(ROUNDS, APPENDS, both(appendMs, long, short));
  const sse = await alternate(ROUNDS, ATTACHES, both(attachSseMs, long, short));
  const socket = await alternate(ROUNDS, ATTACHES, both(attachSocketMs, long, short));
  const finding = (what: string, times: { long: number[][]; short: number[][] }): Finding =>
    compare({
      what: `${what}, ${dialect}`,
      unit: "ms",
      target: { atMost: 1.2 },
      ours: medians(times.long),
      baseline: medians(times.short),
      baselineName: "the same with a log of 1,000 events",
    });
  return [
    finding("append of an input over HTTP", append),
    finding("attach at the tail by SSE", sse),
    finding("attach at the tail by WebSocket", socket),
  ];
}

async function serveLog(run: Run, dialect: "sqlite" | "postgres", facts: number): Promise<Served> {
  const home = await run.folder();
  const database = dialect === "postgres" ? await run.database() : undefined;
  {
    await using filling = new AsyncDisposableStack();
    const store = database
      ? await openPostgres(filling, database)
      : await openSqlite(filling, join(home, "holdfast.db"));
    await fillSession(store, SESSION, facts, SHORT_TEXTS);
  }
  return serve(run.stack, { home, ...(database === undefined ? {} : { database }) });
}

async function appendMs(served: Served): Promise<number> {
  const inputs = `/api/sessions/${SESSION}/inputs`;
  const from = performance.now();
  const { status, body } = await send(served, "POST", inputs, {
    kind: "prompt",
    text: "And now the next one, please.",
  });
  const ms = performance.now() - from;
  if (status !== 202) throw new Error(`an input was answered with ${status}`);
  await withdraw(served, inputs, body);
  return ms;
}

/** Until the server has said that the reader stands at the tail. */
async function attachSseMs(served: Served): Promise<number> {
  const from = performance.now();
  const response = await open(served, "GET", `/api/sessions/${SESSION}/events?offset=now&live=sse`);
  for await (const chunk of response) if ((chunk as Buffer).includes('"upToDate":true')) break;
  return performance.now() - from;
}

/** A page that comes back: until it is told that it has caught up, and what it missed. */
async function attachSocketMs(served: Served): Promise<number> {
  await using life = new AsyncDisposableStack();
  const { headers } = await send(served, "HEAD", `/api/sessions/${SESSION}/events`);
  const from = performance.now();
  await followSocket(life, served, SESSION, String(headers["stream-next-offset"]));
  return performance.now() - from;
}

function both(measure: (served: Served) => Promise<number>, long: Served, short: Served) {
  return { long: () => measure(long), short: () => measure(short) };
}
