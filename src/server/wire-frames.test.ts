import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { once } from "node:events";
import { formatPosition } from "../session/position.ts";
import { serverFrame, eventsFrame } from "./socket-frame.ts";
import { cursorAfter, cursorAt, sseFrame } from "./sse-frame.ts";

test.each([1, 125, 126, 127, 65_535, 65_536, 200_000])(
  "a WebSocket client reads a frame with a text of %i characters",
  async (chars) => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const detail = "x".repeat(chars);
    server.on("connection", (_, request) => {
      request.socket.write(serverFrame({ op: "error", code: "internal", detail }));
    });
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    const [data] = (await once(client, "message")) as [Buffer];
    expect(JSON.parse(data.toString())).toEqual({ op: "error", code: "internal", detail });
    client.terminate();
    server.close();
  },
);

test("stored texts are put into a frame as they lie", () => {
  const frame = eventsFrame("ses_1", Buffer.from('{"a":1},{"b":"ä"}'));
  expect(JSON.parse(frame.subarray(2).toString())).toEqual({
    op: "events",
    session: "ses_1",
    events: [{ a: 1 }, { b: "ä" }],
  });
});

test("a batch of server-sent events says its id before its data, and where it leads after it", () => {
  const last = formatPosition(7, 0);
  const page = { bytes: Buffer.from('{"n":1},{"n":2}'), count: 2, last, upToDate: true };
  const text = sseFrame(page, true, Date.UTC(2024, 9, 9) + 60_000).toString();
  expect(text).toBe(
    `id: ${last}\nevent: data\ndata: [{"n":1},{"n":2}]\n\n` +
      `event: control\ndata: {"streamNextOffset":"${last}","streamCursor":"3","upToDate":true}\n\n`,
  );
});

test("a cursor always lies ahead of the one that a reader came with", () => {
  const now = Date.UTC(2026, 10, 15);
  const current = Number(cursorAt(now));
  expect(cursorAfter(undefined, now)).toBe(String(current));
  expect(cursorAfter(String(current - 5), now)).toBe(String(current));
  expect(cursorAfter(String(current), now)).toBe(String(current + 1));
  expect(cursorAfter(String(current + 9), now)).toBe(String(current + 10));
  expect(cursorAfter("nonsense", now)).toBe(String(current));
});
