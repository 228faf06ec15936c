// Many readers in a process of their own: bare sockets that cost as little as they can, since they share the machine with
// the server that is measured. Each looks for the mark that ends a burst; when all have seen it, one message goes out.
import { connect } from "node:net";
import { say, whenTold } from "./host.ts";

export type ReadersSaid = { attached: number } | { fewestBytes: number };

const ATTACHING_MAX = 50; // a listening socket's backlog is bounded

const [url = "", path = "", token = "", count = "", mark = ""] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const readerCount = Number(count);
const endOfBurst = Buffer.from(mark);
const shared = Buffer.allocUnsafe(256 * 1024); // what was read is looked at before anything else is read

type Reader = { bytes: number; overlap: Buffer; answered: PromiseWithResolvers<void> };
const readers: Reader[] = [];
let finished = 0;

whenTold(() => {});
while (readers.length < readerCount) {
  const some = Array.from({ length: Math.min(ATTACHING_MAX, readerCount - readers.length) }, attach);
  readers.push(...some);
  await Promise.all(some.map((reader) => reader.answered.promise));
}
say({ attached: readers.length });

function attach(): Reader {
  const reader: Reader = { bytes: 0, overlap: Buffer.alloc(0), answered: Promise.withResolvers() };
  const onread = {
    buffer: shared,
    callback: (read: number) => {
      look(reader, shared.subarray(0, read));
      return true;
    },
  };
  const socket = connect({ host: hostname, port: Number(port), onread });
  socket.on("close", () => {
    throw new Error("the server closed a reader's connection");
  });
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  return reader;
}

function look(reader: Reader, chunk: Buffer): void {
  reader.answered.resolve();
  reader.bytes += chunk.length;
  if (!hasMark(reader, chunk) || ++finished < readerCount) return;
  finished = 0;
  say({ fewestBytes: Math.min(...readers.map((each) => each.bytes)) });
  for (const each of readers) each.bytes = 0;
}

/** A mark may be cut in two by the end of a chunk. */
function hasMark(reader: Reader, chunk: Buffer): boolean {
  const edge = Buffer.concat([reader.overlap, chunk.subarray(0, endOfBurst.length - 1)]);
  const seen = chunk.includes(endOfBurst) || edge.includes(endOfBurst);
  const tail = chunk.length < endOfBurst.length ? edge : chunk;
  reader.overlap = seen ? Buffer.alloc(0) : Buffer.from(tail.subarray(-(endOfBurst.length - 1)));
  return seen;
}
