// The cheapest way to read a stream of server-sent events: a bare socket, whose bytes are looked at line by line. What HTTP
// puts between the lines (heads, sizes of chunks) are lines that no reader knows.
import { connect, type Socket } from "node:net";

export function readLines(url: string, path: string, token: string, onLine: (line: string) => void): Socket {
  const { hostname, port } = new URL(url);
  let rest = "";
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setEncoding("latin1"); // a multi-byte character may be cut in two, and none is looked for
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  return socket;
}
