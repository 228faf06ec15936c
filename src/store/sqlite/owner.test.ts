import { join } from "node:path";
import { expect, it } from "vitest";
import { StorageError } from "../store.ts";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";

it("a second owner is refused, and told who has the file", { timeout: 20_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  const first = await openStore(file, { pid: 4711, url: "http://127.0.0.1:4180" });
  const refused = await openStore(file).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StorageError);
  expect(refused).toMatchObject({ kind: "busy" });
  expect(String(refused)).toContain(file);
  expect(String(refused)).toContain("pid 4711, http://127.0.0.1:4180");
  expect(await first.createSession({ id: "ses_a", profile: "p" }, owner)).toMatchObject({ ok: true });
});

it("the file is free again once its owner has closed it", { timeout: 20_000 }, async () => {
  const file = join(makeFolder(), "holdfast.db");
  const first = await openStore(file);
  await first.createSession({ id: "ses_a", profile: "p" }, owner);
  await first.close();
  const second = await openStore(file);
  expect(await second.session("ses_a", "owner")).toBeDefined();
});
