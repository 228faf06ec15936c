import { expect, it } from "vitest";
import { join } from "node:path";
import { makeFolder, openStore, owner } from "../../test/sqlite/open-store.ts";
import type { NewEvent } from "../session/event.ts";
import { saveRule } from "./save-rule.ts";

it("a rule that is saved again after a crash is one, and so is the deed of whoever answered, among ever so many asks", async () => {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_1", profile: "default" }, owner);
  const asked = Array.from({ length: 120 }, (_, n): NewEvent[] => {
    const ask = `ask_${String(n).padStart(3, "0")}`;
    return [
      { type: "ask_opened", data: { ask, kind: "approval", title: "shell", call: `c${n}` } },
      { type: "ask_answered", data: { ask, kind: "approval", answer: { choice: "always" } } },
    ];
  });
  const ada = { person: "ada", device: "phone" };
  await store.append("ses_1", asked.flat(), { by: "client", author: ada });
  const rule = { profile: "default", tool: "shell", match: "sha256:abc", decision: "allow" } as const;
  for (const id of ["rul_1", "rul_2"])
    await saveRule(store, { ...rule, id }, { session: "ses_1", call: "c3" });
  expect((await store.rules()).map(({ id }) => id)).toEqual(["rul_1"]);
  expect((await store.deeds({ limit: 5 })).items).toMatchObject([
    {
      deed: "rule_made",
      by: ada,
      credential: null,
      what: { rule: "rul_1", profile: "default", tool: "shell", session: "ses_1", ask: "ask_003" },
    },
  ]);
});

it("a rule whose ask is another session's is saved all the same", async () => {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_1", profile: "default" }, owner);
  const rule = {
    id: "rul_1",
    profile: "default",
    tool: "shell",
    match: "sha256:abc",
    decision: "allow",
  } as const;
  await saveRule(store, rule, { session: "ses_1", call: "c1" });
  expect((await store.rules()).map(({ id }) => id)).toEqual(["rul_1"]);
  expect((await store.deeds({ limit: 5 })).items).toEqual([]);
});
