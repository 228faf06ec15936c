// What Node can do with bytes that lie in a file: /<name> streams it.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { say, whenTold } from "./host.ts";

const [folder = ""] = process.argv.slice(2);

whenTold(() => {});
const server = createServer((request, response) => {
  const file = join(folder, request.url ?? "");
  response.writeHead(200, { "content-type": "application/json", "content-length": statSync(file).size });
  createReadStream(file).pipe(response);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  say({ url: `http://127.0.0.1:${port}` });
});
