// A small disk of its own, which only root can mount.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeIds } from "../../src/session/ids.ts";
import { formatPosition, START } from "../../src/session/position.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { StorageError, type Store } from "../../src/store/store.ts";

const MB = 1024 * 1024;
const disk = mkdtempSync(join(tmpdir(), "holdfast-disk-"));
const unmountable = mountFailure();
const ids = makeIds(Date.now, (count) => new Uint8Array(count).map(() => Math.floor(Math.random() * 256)));

afterAll(() => {
  if (unmountable === undefined) execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(unmountable !== undefined)(`a full disk${unmountable ?? ""}`, () => {
  let store: Store;
  const file = join(disk, "holdfast.db");
  beforeAll(async () => {
    store = await openSqliteStore({ file, node: ids.next("nod"), host: "test", clock: Date.now, ids });
    await vi.waitUntil(() => existsSync(`${file}-ballast`), { timeout: 10_000 });
  });
  afterAll(() => store.close());

  it("refuses, says why, loses nothing, lets delete, and goes on by itself when there is room (invariant 10)", async () => {
    for (const id of ["ses_a", "ses_b"]) await store.createSession({ id, profile: "p" }, { person: "owner" });
    writeFileSync(join(disk, "filler"), Buffer.alloc(16 * MB, 1));

    let acknowledged = 0;
    const append = async (id: string) =>
      store.append(id, [{ type: "notice", data: { level: "info", text: "x".repeat(50_000) } }], {
        by: "client",
        author: { person: "owner" },
      });
    const full = await (async () => {
      for (let n = 0; n < 5_000; n++) {
        try {
          await Promise.all([append("ses_a").then(() => acknowledged++), append("ses_b")]);
        } catch (error) {
          return error;
        }
      }
      return undefined;
    })();
    expect(full).toBeInstanceOf(StorageError);
    expect(full).toMatchObject({ kind: "full" });
    await expect
      .poll(() => store.health())
      .toEqual({ ok: false, reason: expect.stringContaining("disk is full") });
    expect(existsSync(`${file}-ballast`)).toBe(false);
    await expect(append("ses_a")).rejects.toMatchObject({ kind: "full" });

    const kept = await store.events("ses_a", START, 10_000);
    expect(kept.length).toBeGreaterThanOrEqual(acknowledged + 1);
    expect(kept.map(({ position }) => position)).toEqual(kept.map((_, n) => formatPosition(n + 1, 0)));

    const by = { person: "owner" };
    const deed = { id: "ded_1", deed: "session_deleted", by, credential: null, what: {} } as const;
    expect(await store.deleteSession("ses_b", { force: true }, undefined, deed)).toEqual({ ok: true });
    await store.noteDeed({ ...deed, id: "ded_2" });
    expect((await store.deeds({ limit: 5 })).items.map(({ id }) => id)).toEqual(["ded_2", "ded_1"]);
    rmSync(join(disk, "filler"));
    await expect.poll(() => store.health(), { timeout: 30_000 }).toEqual({ ok: true });
    expect(await append("ses_a")).toMatchObject({ ok: true, position: formatPosition(kept.length + 1, 0) });
    await expect.poll(() => existsSync(`${file}-ballast`), { timeout: 30_000 }).toBe(true);
    expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
  });

  it("goes on by itself when deleting made enough room within the file", async () => {
    await store.createSession({ id: "ses_c", profile: "p" }, { person: "owner" });
    const append = async (id: string) =>
      store.append(id, [{ type: "notice", data: { level: "info", text: "y".repeat(50_000) } }], {
        by: "client",
        author: { person: "owner" },
      });
    for (let n = 0; n < 400; n++) await append("ses_c");
    const free = Number(execFileSync("df", ["--output=avail", "-B1", disk]).toString().split("\n")[1]);
    writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(0, free - 64 * 1024), 1));
    await expect
      .poll(
        async () =>
          append("ses_a").then(
            () => "stored",
            (error: StorageError) => error.kind,
          ),
        { timeout: 30_000, interval: 1 },
      )
      .toBe("full");
    expect(await store.deleteSession("ses_c", { force: true })).toEqual({ ok: true });
    await expect.poll(() => store.health(), { timeout: 30_000 }).toEqual({ ok: true });
    expect(await append("ses_a")).toMatchObject({ ok: true });
    rmSync(join(disk, "filler"));
  });

  it("is not made full by a backup: what there is no room for beside the store is not begun", async () => {
    await expect(store.backup(join(disk, "copy"))).rejects.toMatchObject({
      kind: "full",
      message: expect.stringContaining("MB are free there") as unknown,
    });
    expect([existsSync(join(disk, "copy")), store.health()]).toEqual([false, { ok: true }]);
  });
});

function mountFailure(): string | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return ` can't be tried here: no tmpfs can be mounted (${String(error).split("\n")[0]})`;
  }
}
