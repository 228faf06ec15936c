// Invariants 1, 2 and 9: no acknowledged append is lost, every reader sees every fact once and in order, and a command
// that is retried through a crash takes effect once.
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, inject, it } from "vitest";
import { createDatabase } from "./postgres.ts";
import { curlReader, durableStreamsReader, socketReader } from "./readers.ts";
import { expectEveryFactOnce, facts, readLog } from "./seen-facts.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const KILLS = 20;
const WRITERS = 4;
const BETWEEN_LOOKS_MS = 5;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  it(`readers attached through ${KILLS} kills of the server see every fact once, in order, and no acknowledged append is missing`, async () => {
    const server = await serve(dialect);
    const session = await createSession(server);
    const readers = [
      durableStreamsReader(server, session, "sse"),
      durableStreamsReader(server, session, "long-poll"),
      socketReader(server, session),
      curlReader(server, session),
    ];
    cleanups.push(async () => void (await Promise.allSettled(readers.map((reader) => reader.stop()))));
    const writers = Array.from({ length: WRITERS }, (_, n) => keepWriting(server, session, `w${n}`));

    for (let kill = 0; kill < KILLS; kill++) {
      const before = writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
      await until(
        () => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0) >= before + 8,
      );
      await server.kill("SIGKILL");
      await server.start();
    }
    const acknowledged = (await Promise.all(writers.map((writer) => writer.stop()))).flat();
    const log = await readLog(server, session);
    const titles = facts(log).flatMap(({ type, data }) =>
      type === "session_titled" ? [(data as { title: string }).title] : [],
    );

    expect(new Set(titles).size).toBe(titles.length); // one key, one effect
    expect(titles).toEqual(expect.arrayContaining(acknowledged));
    for (const reader of readers) {
      await until(
        () => facts(reader.seen).length >= facts(log).length,
        () => `${reader.name} has ${facts(reader.seen).length} of ${facts(log).length}`,
      );
      expectEveryFactOnce(reader.seen, log);
      expect(reader.returns ?? KILLS).toBeGreaterThanOrEqual(KILLS);
    }
  });
});

async function serve(dialect: "sqlite" | "postgres"): Promise<ServerProcess> {
  const database = dialect === "postgres" ? await createDatabase(inject("postgresUrl")) : undefined;
  if (database) cleanups.push(() => database.drop());
  const server = await startServer(database ? { databaseUrl: database.url } : {});
  cleanups.push(() => server.remove());
  return server;
}

async function createSession(server: ServerProcess): Promise<string> {
  const answer = await server.fetch("/api/sessions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "through kills" }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

/** Appends one fact after the other; each under its key, tried again until it is acknowledged. */
function keepWriting(server: ServerProcess, session: string, name: string) {
  const acknowledged: string[] = [];
  let stopped = false;
  const write = async () => {
    for (let n = 0; !stopped && n < 100_000; n++) {
      const title = `${name}-${n}`;
      for (let attempt = 0; attempt < 100_000; attempt++) {
        const answer = await server
          .fetch(`/api/sessions/${session}`, {
            method: "PATCH",
            headers: { "content-type": "application/json", "idempotency-key": `key-${title}` },
            body: JSON.stringify({ title }),
          })
          .catch(() => undefined); // the server was killed under it
        if (answer?.ok) break;
        if (answer && answer.status !== 503) throw new Error(`${answer.status} ${await answer.text()}`);
        await delay(BETWEEN_LOOKS_MS);
      }
      acknowledged.push(title);
    }
  };
  const done = write();
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await done;
      return acknowledged;
    },
  };
}

/** Between two looks the processor is left to the servers. */
async function until(
  condition: () => boolean,
  describe: () => string = () => "the condition",
): Promise<void> {
  const give = Date.now() + 45_000;
  while (!condition()) {
    if (Date.now() > give) throw new Error(`waited too long: ${describe()}`);
    await delay(BETWEEN_LOOKS_MS);
  }
}
