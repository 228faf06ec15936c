import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nextRequest } from "../../test/next-request.ts";
import { ON_POSTGRES, openServer, override, TOKEN, until, type OpenServer } from "../../test/open-server.ts";

/** More than the system itself takes in for a reader. */
const MUCH_BYTES = 25_000_000;

test("a reader that stops reading an answer is cut, also one that goes on to send", async () => {
  const server = await openServer({ limits: { stuckMs: 200, headerMs: 600 } });
  const path = await uploaded(server);
  const { here } = await stopsReading(server, path);
  await once(here, "close");
  expect(await cutReaders(server)).toBe(1);

  const sending = await stopsReading(server, path);
  const cut = once(sending.here, "close");
  sending.there.write("GET /never-ending");
  const trickle = setInterval(() => sending.there.write("-"), 50);
  onTestFinished(() => clearInterval(trickle));
  await cut;
});

test.skipIf(ON_POSTGRES)("a backup that nobody reads any more is no hindrance to the next", async () => {
  const server = await openServer({ limits: { stuckMs: 200 } });
  await uploaded(server);
  const { here } = await stopsReading(server, "/api/backup");
  await once(here, "close");
  const next = await server.fetch("/api/backup");
  expect(next.status).toBe(200);
  await next.body!.cancel();
});

test("a reader that reads slowly gets all of its answer, however long that takes", async () => {
  const stuckMs = 1_500;
  const server = await openServer({ limits: { stuckMs } });
  const answer = await server.fetch(await uploaded(server));
  const began = Date.now();
  let bytes = 0;
  let rested = 0;
  for await (const piece of answer.body!) {
    bytes += (piece as Uint8Array).byteLength;
    if (bytes - rested < 1_000_000) continue;
    rested = bytes;
    await delay(stuckMs / 10);
  }
  expect(bytes).toBe(MUCH_BYTES);
  expect(Date.now() - began).toBeGreaterThan(2 * stuckMs);
});

test("an answer that is long in coming is waited for", async () => {
  const stuckMs = 50;
  const server = await openServer({
    limits: { stuckMs, longPollMs: 6 * stuckMs },
    wrap: (store) =>
      override(store, { overview: async () => (await delay(6 * stuckMs), await store.overview()) }),
  });
  const { id } = await server.newSession();
  expect((await server.fetch("/api/overview")).status).toBe(200);
  expect((await server.fetch(`/api/sessions/${id}/events?offset=now&live=long-poll`)).status).toBe(204);
  expect(await cutReaders(server)).toBe(0);
});

test("a reader that stops reading a file has less than 1 MB of it waiting here", async () => {
  let pulled = 0;
  const server = await openServer({
    wrap: (store) =>
      override(store, {
        async file(id) {
          const file = await store.file(id);
          return file && { ...file, read: () => counted(file.read(), (bytes) => (pulled += bytes)) };
        },
      }),
  });
  const path = await uploaded(server);
  const { here } = await stopsReading(server, path);
  await until(() => here.writableLength > 0);
  for (let [last, same] = [0, 0]; same < 20; same = pulled === last ? same + 1 : 0) {
    last = pulled;
    await delay(5);
  }
  expect(pulled - (here.bytesWritten - here.writableLength)).toBeLessThan(1 << 20);
});

async function uploaded(server: OpenServer): Promise<string> {
  const answer = await server.fetch("/api/files", { method: "POST", body: Buffer.alloc(MUCH_BYTES, "x") });
  expect(answer.status).toBe(201);
  return answer.headers.get("location")!;
}

/** Once the first of the answer has come. Both ends of its connection: `here` is the server's. */
async function stopsReading(server: OpenServer, path: string): Promise<{ here: Socket; there: Socket }> {
  const accepted = nextRequest();
  const there = connect(server.port, "127.0.0.1");
  onTestFinished(() => void there.destroy());
  there.on("error", () => {}); // that it is cut is what is waited for
  there.write(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
  );
  await once(there, "data");
  there.pause();
  return { here: (await accepted).socket, there };
}

async function* counted(
  pieces: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    count(piece.byteLength);
    yield piece;
  }
}

async function cutReaders(server: OpenServer): Promise<number> {
  const text = await (await server.fetch("/metrics")).text();
  return Number(/holdfast_slow_readers_total\{kind="plain"\} (\d+)/.exec(text)?.[1] ?? 0);
}
