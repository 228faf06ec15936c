// A reader that was away: all of a long log, over HTTP, against the same bytes out of a file.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fillSession } from "./fill.ts";
import { startHost } from "./host/host.ts";
import { alternate, compare, medians, timeOf, type Finding, type Row } from "./measure.ts";
import { openSqlite } from "./open-store.ts";
import { serve } from "./served.ts";
import { open, type Address } from "./wire.ts";

const ROUNDS = 9;
const TIMES = 5;
const FACTS = 10_000;
const SESSION = "ses_bench_replay";
const EVENTS = `/api/sessions/${SESSION}/events`;

export const replay: Row = {
  name: "replay",
  title: `a log of ${FACTS.toLocaleString("en-US")} facts, from its beginning to its end`,
  reading:
    "2 × means twice the time that node:http takes to stream the very same bytes from a file in one answer.",
  async measure(run) {
    const home = await run.folder();
    {
      await using filling = new AsyncDisposableStack();
      await fillSession(await openSqlite(filling, join(home, "holdfast.db")), SESSION, FACTS);
    }
    const ours = await serve(run.stack, { home });
    const files = join(await run.folder(), "files");
    await mkdir(files);
    for (const [name, read] of Object.entries({ pages: readPages, sse: readSse })) {
      const chunks: Buffer[] = [];
      await read(ours, (chunk) => chunks.push(chunk));
      await writeFile(join(files, name), Buffer.concat(chunks));
    }
    const { ready: bare } = await startHost<{ url: string }>(run.stack, "bare-file", files);

    const times = await alternate(ROUNDS, TIMES, {
      pages: () => timeOf(() => readPages(ours, drop)),
      pagesFile: () => timeOf(() => readFile(bare, "/pages")),
      sse: () => timeOf(() => readSse(ours, drop)),
      sseFile: () => timeOf(() => readFile(bare, "/sse")),
    });
    const finding = (what: string, replays: number[][], baseline: number[][]): Finding =>
      compare({
        what,
        unit: "ms",
        target: { atMost: 2 },
        ours: medians(replays),
        baseline: medians(baseline),
        baselineName: "node:http piping the same bytes from a file",
      });
    return [
      finding("catch-up by pages", times.pages, times.pagesFile),
      finding("replay over SSE", times.sse, times.sseFile),
    ];
  },
};

type Take = (chunk: Buffer) => void;

function drop(): void {}

/** As a Durable Streams client catches up: page after page until one says that it was the last. */
async function readPages(address: Address, take: Take): Promise<void> {
  for (let offset = "-1"; ;) {
    const response = await open(address, "GET", `${EVENTS}?offset=${offset}`);
    if (response.statusCode !== 200) throw new Error(`a page was answered with ${response.statusCode}`);
    for await (const chunk of response) take(chunk as Buffer);
    if (response.headers["stream-up-to-date"] === "true") return;
    offset = String(response.headers["stream-next-offset"]);
  }
}

async function readSse(address: Address, take: Take): Promise<void> {
  const response = await open(address, "GET", `${EVENTS}?offset=-1&live=sse`);
  for await (const chunk of response) {
    take(chunk as Buffer);
    if ((chunk as Buffer).includes('"upToDate":true')) return; // which also closes the connection
  }
}

async function readFile(address: Address, path: string): Promise<void> {
  const response = await open(address, "GET", path);
  for await (const _ of response) drop();
}
