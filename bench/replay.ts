// A reader that was away: all of a long log, over HTTP, against the same bytes out of a file.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { START } from "../src/session/position.ts";
import { fillSession } from "./fill.ts";
import { startHost } from "./host/host.ts";
import { compare, takeTurns, timeOf, type Finding, type Row } from "./measure.ts";
import { openSqlite } from "./open-store.ts";
import { serve } from "./served.ts";
import { open, send, type Address } from "./wire.ts";

const ROUNDS = 15;
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
    await writeFile(join(files, "pages"), Buffer.concat(await readPages(ours)));
    await writeFile(join(files, "sse"), Buffer.concat(await readSse(ours)));
    const { ready: bare } = await startHost<{ url: string }>(run.stack, "bare-file", files);

    const values = await takeTurns(ROUNDS, {
      pages: () => timeOf(() => readPages(ours)),
      pagesFile: () => timeOf(() => send(bare, "GET", "/pages")),
      sse: () => timeOf(() => readSse(ours)),
      sseFile: () => timeOf(() => send(bare, "GET", "/sse")),
    });
    const finding = (what: string, times: number[], baseline: number[]): Finding =>
      compare({
        what,
        unit: "ms",
        target: { atMost: 2 },
        ours: times,
        baseline,
        baselineName: "node:http piping the same bytes from a file",
      });
    return [
      finding("catch-up by pages", values.pages, values.pagesFile),
      finding("replay over SSE", values.sse, values.sseFile),
    ];
  },
};

/** As a Durable Streams client catches up: page after page until one says that it was the last. */
async function readPages(address: Address): Promise<Buffer[]> {
  const pages: Buffer[] = [];
  for (let offset = "-1"; ;) {
    const { status, headers, body } = await send(address, "GET", `${EVENTS}?offset=${offset}`);
    if (status !== 200) throw new Error(`a page was answered with ${status}`);
    pages.push(body);
    if (headers["stream-up-to-date"] === "true") return pages;
    offset = String(headers["stream-next-offset"] ?? START);
  }
}

async function readSse(address: Address): Promise<Buffer[]> {
  const response = await open(address, "GET", `${EVENTS}?offset=-1&live=sse`);
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    if ((chunk as Buffer).includes('"upToDate":true')) break; // which also closes the connection
  }
  return chunks;
}
