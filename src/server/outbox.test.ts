import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Outbox } from "./outbox.ts";

const sockets: { destroy(): void }[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const LIMITS = { queueBytes: 1 << 20, stuckMs: 60_000 };
const FRAME = Buffer.alloc(64 * 1024, "x");

test("a reader that does not read costs no more than the bound, and starts over once it has read", async () => {
  const { near, far } = await pair();
  const events: string[] = [];
  const outbox = new Outbox(near, LIMITS, recorder(events));
  far.pause();
  let most = 0;
  for (let n = 0; n < 10_000 && !outbox.isOverflowed; n++) {
    outbox.send(FRAME);
    most = Math.max(most, near.writableLength);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(outbox.isOverflowed).toBe(true);
  expect(most).toBeLessThanOrEqual(LIMITS.queueBytes);
  expect(outbox.send(FRAME)).toBe(false);
  far.resume();
  await until(() => events.includes("drained"));
  expect(events).toEqual(["overflowed", "drained"]);
  expect(outbox.send(FRAME)).toBe(true);
});

test("a reader that never reads is given up", async () => {
  const { near, far } = await pair();
  const events: string[] = [];
  const outbox = new Outbox(near, { ...LIMITS, stuckMs: 1 }, recorder(events));
  far.pause();
  for (let n = 0; n < 10_000 && !outbox.isOverflowed; n++) {
    outbox.send(FRAME);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => events.includes("stuck"));
  expect(events).toEqual(["overflowed", "stuck"]);
});

test("what can wait is sent one after the other and never overflows", async () => {
  const { near, far } = await pair();
  const events: string[] = [];
  const outbox = new Outbox(near, LIMITS, recorder(events));
  let received = 0;
  let most = 0;
  let making = 0;
  far.on("data", (chunk) => (received += chunk.length));
  far.pause();
  const large = Buffer.alloc(900 * 1024, "y");
  const sent = Promise.all(
    Array.from({ length: 20 }, () =>
      outbox.paced(async () => {
        expect(++making).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        making--;
        most = Math.max(most, near.writableLength);
        return large;
      }),
    ),
  );
  far.resume();
  expect(await sent).toEqual(Array.from({ length: 20 }, () => true));
  await until(() => received === 20 * large.length);
  expect(events).toEqual([]);
  expect(most).toBeLessThanOrEqual(LIMITS.queueBytes);
});

test("frames of one tick leave in one write", async () => {
  const { near, far } = await pair();
  const outbox = new Outbox(near, LIMITS, recorder([]));
  const chunks: number[] = [];
  far.on("data", (chunk) => chunks.push(chunk.length));
  for (let n = 0; n < 100; n++) outbox.send(Buffer.from("0123456789"));
  await until(() => chunks.reduce((sum, bytes) => sum + bytes, 0) === 1_000);
  expect(chunks).toEqual([1_000]);
});

function recorder(events: string[]) {
  return {
    overflowed: () => void events.push("overflowed"),
    drained: () => void events.push("drained"),
    stuck: () => void events.push("stuck"),
  };
}

async function pair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const far = createConnection(port, "127.0.0.1");
  const [near] = (await once(server, "connection")) as [Socket];
  server.close();
  sockets.push(near, far);
  return { near, far };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
