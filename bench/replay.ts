// A reader that was away: all of a long log, over HTTP, against the same bytes out of a file.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fillSession } from "./fill.ts";
import { startHost } from "./host/host.ts";
import { LeanReader, type Take } from "./lean-reader.ts";
import { alternate, compare, medians, timeOf, type Finding, type Row } from "./measure.ts";
import { openSqlite } from "./open-store.ts";
import { serve } from "./served.ts";
import type { Address } from "./wire.ts";

const ROUNDS = 9;
const TIMES = 8;
const FACTS = 10_000;
const SESSION = "ses_bench_replay";
const EVENTS = `/api/sessions/${SESSION}/events`;
const FOLLOWED = `${EVENTS}?offset=-1&live=sse`;

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
    const reader = run.stack.adopt(new LeanReader(ours), (each) => each.close());
    const files = join(await run.folder(), "files");
    await mkdir(files);
    await keep(join(files, "pages"), (take) => readPages(reader, take));
    await keep(join(files, "sse"), (take) => readStream(ours, FOLLOWED, take));
    const { ready: bare } = await startHost<{ url: string }>(run.stack, "bare-file", files);
    const fileReader = run.stack.adopt(new LeanReader(bare), (each) => each.close());

    const times = await alternate(ROUNDS, TIMES, {
      pages: () => timeOf(() => readPages(reader)),
      pagesFile: () => timeOf(() => fileReader.get("/pages")),
      sse: () => timeOf(() => readStream(ours, FOLLOWED)),
      sseFile: () => timeOf(() => readStream(bare, "/sse")),
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

async function keep(file: string, read: (take: Take) => Promise<void>): Promise<void> {
  const chunks: Buffer[] = [];
  await read((chunk) => void chunks.push(Buffer.from(chunk)));
  await writeFile(file, Buffer.concat(chunks));
}

/** As a Durable Streams client catches up: page after page until one says that it was the last. */
async function readPages(reader: LeanReader, take?: Take): Promise<void> {
  for (let offset = "-1"; ;) {
    const { status, headers } = await reader.get(`${EVENTS}?offset=${offset}`, { take });
    if (status !== 200) throw new Error(`a page was answered with ${status}`);
    if (headers.get("stream-up-to-date") === "true") return;
    offset = headers.get("stream-next-offset") ?? "";
  }
}

/** A stream has no other end than its connection's, so each is read on a connection of its own. */
async function readStream(address: Address, path: string, take?: Take): Promise<void> {
  const reader = new LeanReader(address);
  await reader.get(path, { take, end: '"upToDate":true}\n\n' });
  reader.close();
}
