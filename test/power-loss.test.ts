// A loss of power at any moment, on a disk that keeps what was synced and of the rest what chance leaves (invariant 1).
// Real writes and syncs, as strace saw them, in the order in which the kernel did.
//
// Others, and more of them: POWER_LOSSES=1000 POWER_SEED=2 npx vitest run test/power-loss.test.ts
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeHome } from "../src/home.ts";
import { readSpec } from "../src/process/directory.ts";
import { formatPosition, START } from "../src/session/position.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import type { Store } from "../src/store/store.ts";
import { live } from "./power-loss/losses.ts";
import { straceFailure } from "./strace-failure.ts";
import type { Promised } from "./power-loss/writer.ts";
import { ids, owner } from "./sqlite/open-store.ts";

const LOSSES = Number(process.env["POWER_LOSSES"] ?? 80);
const SEED = Number(process.env["POWER_SEED"] ?? 1);
const untraceable = straceFailure("--seccomp-bpf", "-e", "trace=fsync");

// Each look starts two threads: where they find their code compiled, that takes half the time.
const compiled = mkdtempSync(join(tmpdir(), "holdfast-compiled-"));
beforeAll(() => void vi.stubEnv("NODE_COMPILE_CACHE", compiled));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(compiled, { recursive: true });
});

describe.skipIf(untraceable !== undefined)(`a loss of power${untraceable ?? ""}`, () => {
  it("leaves every append, file and removal that was acknowledged, without a hole, in a store that goes on", async () => {
    const life = await live("work");
    const whole = await inHome(life.home, factsOf);
    const relied = new Set<string>();
    await life.lose(LOSSES, SEED, async ({ home, promised }) => {
      await inHome(home, async (store) => {
        await expectKept(store, promised);
        expectBeginning(whole, await factsOf(store));
        await expectGoesOn(store);
      });
      for (const each of promised) for (const kind of Object.keys(each)) relied.add(kind);
    });
    expect(Array.from(relied)).toEqual(expect.arrayContaining(["fact", "blob", "file", "deleted"]));
  });

  it("leaves a backup that was said to be there, and of a restore either the old store or the new one", async () => {
    const life = await live("restore");
    const seen = new Set<string>();
    await life.lose(LOSSES, SEED, async ({ home, promised }) => {
      const [old, after] = partedBy("restoring", promised);
      const [backedUp] = partedBy("backup", old);
      if (backedUp.length < old.length) await expectBackup(join(home, "backup.db"), backedUp);
      await inHome(home, async (store) => {
        const isRestored =
          promised.some((each) => "restored" in each) ||
          (old.length < promised.length && (await store.head("ses_b")) === undefined);
        seen.add(isRestored ? "restored" : "as before");
        await expectKept(store, isRestored ? [...backedUp, ...after] : old);
        await expectGoesOn(store);
      });
    });
    expect(Array.from(seen).toSorted()).toEqual(["as before", "restored"]);
  });

  it("leaves word of each command that may have begun, so that none is taken for one that never did", async () => {
    const life = await live("command");
    let commands = 0;
    await life.lose(LOSSES, SEED, async ({ home, promised }) => {
      for (const each of promised) {
        if (!("command" in each)) continue;
        const spec = await readSpec(join(home, "processes", each.command));
        if (spec?.id !== each.command) throw new Error(`${each.command} has left no trace`);
        commands += 1;
      }
    });
    expect(commands).toBeGreaterThan(0);
  });
});

type Facts = Map<string, string[]>;

/** As a server that starts anew. */
function inHome<T>(home: string, work: (store: Store) => Promise<T>): Promise<T> {
  expect(makeHome(home)).toBeUndefined();
  return inStore(join(home, "holdfast.db"), work);
}

async function inStore<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ file, node: ids.next("nod"), host: "test", clock: Date.now, ids });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function factsOf(store: Store): Promise<Facts> {
  const facts: Facts = new Map();
  const { items } = await store.sessions({ limit: 100 }, owner.person);
  for (const { id } of items) {
    const events = await store.events(id, START, 100_000, "facts");
    facts.set(
      id,
      events.map((event) => JSON.stringify(event)),
    );
  }
  return facts;
}

async function expectKept(store: Store, promised: readonly Promised[]): Promise<void> {
  const deleted = new Set(promised.map((each) => ("deleted" in each ? each.deleted : "")));
  const texts = new Map<string, Map<string, string>>();
  const broken: Promised[] = [];
  for (const each of promised) if (!(await isKept(each))) broken.push(each);
  expect(broken).toEqual([]);

  async function isKept(each: Promised): Promise<boolean> {
    if ("fact" in each) {
      if (deleted.has(each.session)) return true;
      if (!texts.has(each.session)) texts.set(each.session, await textsOf(store, each.session));
      return texts.get(each.session)?.get(each.position)?.startsWith(each.fact) ?? false;
    }
    if ("deleted" in each) return (await store.head(each.deleted)) === undefined;
    if ("blob" in each) return sha256(await store.blob(each.blob)) === each.blob;
    if (!("file" in each)) return true;
    const chunks = await Array.fromAsync((await store.file(each.file))?.read() ?? []);
    return sha256(Buffer.concat(chunks)) === each.sha256;
  }
}

async function textsOf(store: Store, session: string): Promise<Map<string, string>> {
  const facts = await store.events(session, START, 100_000, "facts");
  expect(facts.map(({ position }) => position)).toEqual(facts.map((_, n) => formatPosition(n + 1, 0)));
  return new Map(facts.map(({ position, data }) => [position, (data as { text?: string }).text ?? ""]));
}

/** Of what was written later, nothing or the beginning is there. */
function expectBeginning(whole: Facts, left: Facts): void {
  for (const [session, facts] of whole) {
    const kept = left.get(session) ?? [];
    expect(kept).toEqual(facts.slice(0, kept.length));
  }
}

async function expectGoesOn(store: Store): Promise<void> {
  const id = ids.next("ses");
  expect(await store.createSession({ id, profile: "p" }, owner)).toMatchObject({ ok: true });
  expect(store.health()).toEqual({ ok: true });
  expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
}

async function expectBackup(file: string, promised: readonly Promised[]): Promise<void> {
  const copy = `${file}-copy`;
  await copyFile(file, copy); // as restore does: opened where it lies, it would no longer be what was backed up
  await inStore(copy, (store) => expectKept(store, promised));
}

/** What was promised before that, and after. */
function partedBy(what: "restoring" | "backup", promised: Promised[]): [Promised[], Promised[]] {
  const at = promised.findIndex((each) => what in each);
  return at === -1 ? [promised, []] : [promised.slice(0, at), promised.slice(at + 1)];
}

function sha256(bytes: Uint8Array | undefined): string {
  return createHash("sha256")
    .update(bytes ?? "")
    .digest("hex");
}
