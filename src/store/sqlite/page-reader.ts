// The thread that reads long replays, on a connection of its own. Whoever asks for a page asks for the one behind it next,
// so that is read before anybody asks: the thread reads on while the main one sends.
import { parentPort, workerData } from "node:worker_threads";
import { ownMemory } from "../page-memory.ts";
import type { Position } from "../../session/position.ts";
import type { LogId, Page } from "../store.ts";
import { openReader } from "./database.ts";
import { readHead } from "./read-events.ts";
import { readPage } from "./read-page.ts";

export type PageReaderData = { file: string };
export type Wish = { log: LogId; after: Position; maxBytes: number };
export type ToPageReader = Wish | "close";
/** In the order of the wishes. `unread`: whoever asks the database itself is told why. */
export type FromPageReader = "ready" | Read | "unread";
type Read = Omit<Page, "bytes" | "release"> & { bytes: Uint8Array };

/** As many replays as can go on at once without reading anything twice. */
const AHEAD_MAX = 4;

if (!parentPort) throw new Error("page-reader.ts runs as a worker");
const port = parentPort;
const { file } = workerData as PageReaderData; // from page-thread.ts
const database = openReader(file);
const ahead = new Map<string, Page>();

port.on("message", (message: ToPageReader) => {
  if (message === "close") {
    database.close();
    port.close();
    return;
  }
  const page = takeAhead(message) ?? read(message);
  send(page);
  if (page && !page.upToDate) readAhead({ ...message, after: page.last });
});
port.postMessage("ready" satisfies FromPageReader);

function send(page: Page | undefined): void {
  if (!page) return port.postMessage("unread" satisfies FromPageReader);
  const { bytes, count, last, upToDate } = page;
  const memory = ownMemory(bytes);
  port.postMessage({ bytes, count, last, upToDate } satisfies FromPageReader, memory ? [memory] : []);
}

function read({ log, after, maxBytes }: Wish): Page | undefined {
  try {
    return readPage(database, log, after, maxBytes);
  } catch {
    return undefined; // the main thread meets the same error, and has someone to tell it to
  }
}

function readAhead(wish: Wish): void {
  const page = read(wish);
  if (!page) return;
  for (const oldest of ahead.size < AHEAD_MAX ? [] : ahead.keys().take(1)) ahead.delete(oldest);
  ahead.set(nameOf(wish), page);
}

/** A page that reached the end is only good for as long as nothing has come behind it; none is, once its log is gone. */
function takeAhead(wish: Wish): Page | undefined {
  const page = ahead.get(nameOf(wish));
  if (!page) return undefined;
  ahead.delete(nameOf(wish));
  const end = readHead(database, wish.log)?.position;
  return end === undefined || (page.upToDate && end !== page.last) ? undefined : page;
}

function nameOf({ log, after, maxBytes }: Wish): string {
  return `${log} ${after} ${maxBytes}`;
}
