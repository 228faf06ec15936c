import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { START } from "../../session/position.ts";
import type { Store } from "../store.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import { restoreSqlite } from "./restore.ts";

const byOwner = { by: "client", author: owner } as const;

it(
  "a backup of a running store is whole, and restored it is a new store with the same logs",
  { timeout: 30_000 },
  async () => {
    const folder = makeFolder();
    const store = await openStore(join(folder, "holdfast.db"));
    await store.createSession({ id: "ses_a", profile: "p" }, owner);
    let [acknowledged, stopped] = [0, false];
    const writing = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!stopped) {
          await append(store, "x".repeat(2_000));
          acknowledged += 1;
        }
      }),
    );
    await expect.poll(() => acknowledged).toBeGreaterThan(200);
    const before = acknowledged;
    const { bytes } = await store.backup(join(folder, "copy"));
    stopped = true;
    await writing;
    expect(bytes).toBeGreaterThan(before * 2_000);

    const copy = new DatabaseSync(join(folder, "copy"), { readOnly: true });
    expect(copy.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    copy.close();

    const restored = await restoreSqlite(join(folder, "copy"), join(folder, "restored.db"), {
      newStoreId: "sto_new",
      now: Date.now(),
    });
    expect(restored.kept).toBeNull();
    expect(restored.events).toBeGreaterThan(before);
    const again = await openStore(join(folder, "restored.db"));
    expect(again.id).toBe("sto_new");
    const events = await again.events("ses_a", START, 100_000);
    expect(events).toHaveLength(restored.events);
    expect(events).toEqual((await store.events("ses_a", START, 100_000)).slice(0, events.length));
  },
);

it("what was allowed for good and revoked after a backup is not allowed again by restoring it", async () => {
  const folder = makeFolder();
  const [file, copy] = [join(folder, "holdfast.db"), join(folder, "copy")];
  const store = await openStore(file);
  for (const id of ["rul_kept", "rul_revoked"])
    await store.addRule({ id, profile: "p", tool: "shell", match: id, decision: "allow" });
  await store.backup(copy);
  await store.removeRule("rul_revoked");
  await store.close();
  const elsewhere = join(folder, "elsewhere.db");
  const restoring = { newStoreId: "sto_new", now: Date.now() };
  expect(await restoreSqlite(copy, elsewhere, restoring)).toMatchObject({
    rules: { revoked: null, valid: 2 },
  });
  expect(await restoreSqlite(copy, file, restoring)).toMatchObject({ rules: { revoked: 1, valid: 1 } });
  expect(await (await openStore(file)).rules("p")).toMatchObject([{ id: "rul_kept" }]);
});

it(
  "a backup never overwrites a file, and leaves none behind when it fails",
  { timeout: 20_000 },
  async () => {
    const folder = makeFolder();
    const store = await openStore(join(folder, "holdfast.db"));
    writeFileSync(join(folder, "precious"), "mine");
    await expect(store.backup(join(folder, "precious"))).rejects.toThrow("already there");
    await expect(store.backup(join(folder, "no", "such", "folder"))).rejects.toThrow(
      "no backup could be written",
    );
    expect(readdirSync(folder).filter((name) => name.includes("part"))).toEqual([]);
  },
);

it("restoring keeps what was there under another name", { timeout: 20_000 }, async () => {
  const folder = makeFolder();
  const file = join(folder, "holdfast.db");
  const store = await openStore(file);
  await store.createSession({ id: "ses_old", profile: "p" }, owner);
  await store.backup(join(folder, "copy"));
  await store.createSession({ id: "ses_new", profile: "p" }, owner);
  await store.close();
  const { kept } = await restoreSqlite(join(folder, "copy"), file, {
    newStoreId: "sto_new",
    now: Date.now(),
  });
  const restored = await openStore(file);
  expect([restored.id, await restored.session("ses_new", "owner")]).toEqual(["sto_new", undefined]);
  expect(await restored.session("ses_old", "owner")).toBeDefined();
  const old = await openStore(kept!);
  expect([old.id, (await old.session("ses_new", "owner"))?.id]).toEqual([store.id, "ses_new"]);
});

it(
  "restoring is refused while somebody owns the store, and for a file that is none",
  { timeout: 20_000 },
  async () => {
    const folder = makeFolder();
    const file = join(folder, "holdfast.db");
    const store = await openStore(file);
    await store.backup(join(folder, "copy"));
    const restoring = { newStoreId: "sto_new", now: Date.now() };
    await expect(restoreSqlite(join(folder, "copy"), file, restoring)).rejects.toMatchObject({
      kind: "busy",
    });
    await store.close();
    writeFileSync(join(folder, "letter"), "dear aunt");
    for (const wrong of ["letter", "missing"])
      await expect(restoreSqlite(join(folder, wrong), file, restoring)).rejects.toMatchObject({
        kind: "broken",
      });
    expect(existsSync(`${file}.restoring`)).toBe(false);
    expect((await openStore(file)).id).toBe(store.id);
  },
);

async function append(store: Store, text: string): Promise<void> {
  const appended = await store.append("ses_a", [{ type: "notice", data: { level: "info", text } }], byOwner);
  if (!appended.ok) throw new Error(appended.code);
}
