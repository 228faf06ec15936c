// What Node can do for many readers of one stream without storing anything: what comes within a tick is joined to one Buffer
// and written once to each. Unchunked, as the connection's end is the stream's end: the fastest that node:http has.
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { say, whenTold } from "./host.ts";

const [burstFile = "", eventCount = ""] = process.argv.slice(2);
const burst = slices(readFileSync(burstFile), Number(eventCount));

const readers = new Set<ServerResponse>();
let pending: Buffer[] = [];

whenTold(() => {
  for (const event of burst) emit(event);
});
const server = createServer((_request, response) => {
  response.removeHeader("transfer-encoding");
  response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
  response.flushHeaders();
  readers.add(response);
  response.on("close", () => readers.delete(response));
});
server.listen(0, "127.0.0.1", 2048, () => {
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  say({ url: `http://127.0.0.1:${port}` });
});

function emit(event: Buffer): void {
  if (pending.push(event) === 1) process.nextTick(flush);
}

function flush(): void {
  const frame = Buffer.concat(pending);
  pending = [];
  for (const reader of readers) reader.write(frame);
}

/** The burst's bytes as that many events. */
function slices(bytes: Buffer, count: number): Buffer[] {
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}
