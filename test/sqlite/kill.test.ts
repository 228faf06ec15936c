import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { formatPosition, START } from "../../src/session/position.ts";
import { makeIds } from "../../src/session/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";

const ids = makeIds(Date.now, (count) => new Uint8Array(count).map(() => Math.floor(Math.random() * 256)));
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-kill-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("every append that was acknowledged survives kill -9, again and again (invariant 1)", async () => {
  const file = join(folder, "holdfast.db");
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 6; round++) {
    const child = startAppender(file);
    await killAfter(child, 40 + round * 60, (line) => {
      const [position = "", writer, n] = line.split(" ");
      acknowledged.set(position, `${writer} ${n}`);
    });
    const store = await open(file);
    const facts = (await store.events("ses_a", START, 1_000_000)).filter(({ type }) => type !== "draft");
    expect(facts.map(({ position }) => position)).toEqual(facts.map((_, n) => formatPosition(n + 1, 0)));
    const stored = new Map(
      facts.map(({ position, data }) => [position as string, data as { text?: string }]),
    );
    for (const [position, written] of acknowledged)
      expect(stored.get(position)?.text).toMatch(new RegExp(`^${written} `));
    expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
    await store.close();
  }
  expect(acknowledged.size).toBeGreaterThan(1_000);
});

it("an owner that was killed leaves the file free, and while it lives it is named", async () => {
  const file = join(folder, "holdfast.db");
  const child = startAppender(file);
  await lines(child).next();
  await expect(open(file)).rejects.toThrow(`pid ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  const store = await open(file);
  expect(await store.session("ses_a", "owner")).toBeDefined();
  await store.close();
});

function startAppender(file: string): ChildProcess {
  const script = fileURLToPath(new URL("appender.ts", import.meta.url));
  return spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
}

function lines(child: ChildProcess): AsyncIterator<string> {
  return createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
}

/** Kills it after so many acknowledgements, and hears out all that it still managed to say. */
async function killAfter(child: ChildProcess, count: number, heard: (line: string) => void): Promise<void> {
  const said = lines(child);
  expect((await said.next()).value).toBe("open");
  let n = 0;
  while (true) {
    const { done, value } = await said.next();
    if (done) return;
    heard(value);
    n += 1;
    if (n === count) child.kill("SIGKILL");
  }
}

function open(file: string): Promise<Store> {
  return openSqliteStore({ file, node: ids.next("nod"), host: "test", clock: Date.now, ids });
}
