import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder, openStore, owner } from "../../test/sqlite/open-store.ts";
import type { NewEvent, NewFact } from "../session/event.ts";
import type { Store } from "../store/store.ts";
import { HeldSession, LeaseLost } from "./held-session.ts";

const notice = (text: string): NewFact => ({ type: "notice", data: { level: "info", text } });
const draft = (text: string): NewEvent => ({
  type: "draft",
  data: { part: "s1.1/0", kind: "text", offset: 0, text },
});

it("what it wrote is folded as the log has it, without being read back", async () => {
  const { held, store, reads } = await hold();
  const before = reads();
  const usage = { inputTokens: 1, outputTokens: 2, cost: undefined } as never; // what JSON leaves out
  await held.append([
    { type: "turn_started", data: { turn: "t1", inputs: [] } },
    { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
  ]);
  const message = [{ type: "text" as const, text: "hello" }];
  await held.append([{ type: "step_completed", data: { step: "s1", attempt: 1, message, usage } }]);
  expect(reads()).toBe(before);
  expect(held.view).toStrictEqual(await store.view("ses_a"));
});

it("what others wrote in between is read, and what is decided without it is not written", async () => {
  const { held, store } = await hold();
  await store.append("ses_a", [notice("by a person")], { by: "client", author: owner });
  expect(await held.appendDecided([notice("decided on less")])).toBe(false);
  await store.append("ses_a", [notice("by a person again")], { by: "client", author: owner });
  await held.append([notice("by the executor")]);
  expect(held.view).toEqual(await store.view("ses_a"));
  expect(held.view.messages).toHaveLength(3);
});

it("a draft among its facts is none of them, though others' facts make up for it", async () => {
  const { held, store } = await hold();
  await store.append("ses_a", [notice("by a person")], { by: "client", author: owner });
  await held.append([draft("a"), notice("by the executor")]);
  expect(held.view).toEqual(await store.view("ses_a"));
  expect(held.view.messages).toHaveLength(2);
});

it("what it is told to write is written in that order, and what was decided before is decided on less", async () => {
  const { held, store } = await hold({
    append: async (real, log, events, ...rest) => {
      if (JSON.stringify(events).includes("slow")) await new Promise((resolve) => setImmediate(resolve));
      return real.append(log, events, ...rest);
    },
  });
  const [, , decided] = await Promise.all([
    held.append([notice("slow")]),
    held.append([notice("quick")]),
    held.appendDecided([notice("decided before both")]),
  ]);
  expect(decided).toBe(false);
  const texts = (await store.view("ses_a"))?.messages.map((message) => "text" in message && message.text);
  expect(texts).toEqual(["slow", "quick"]);
});

it("who writes drafts is told whether others have written facts", async () => {
  const { held, store } = await hold();
  expect(await held.appendDrafts([draft("a")])).toBe(false);
  await store.append("ses_a", [notice("by a person")], { by: "client", author: owner });
  expect(await held.appendDrafts([draft("b")])).toBe(true);
  await held.catchUp();
  expect(await held.appendDrafts([draft("c")])).toBe(false);
});

it("a session that is deleted as it is claimed is none to work on", async () => {
  const { held, store } = await hold();
  await store.deleteSession("ses_a", { force: true });
  await expect(HeldSession.open(store, held.lease)).rejects.toBeInstanceOf(LeaseLost);
});

type Instead = {
  append?: (real: Store, ...args: Parameters<Store["append"]>) => ReturnType<Store["append"]>;
};

async function hold(
  instead: Instead = {},
): Promise<{ held: HeldSession; store: Store; reads: () => number }> {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const claimed = await store.claimLease("ses_a", 60_000);
  if (!claimed.ok) throw new Error(claimed.code);
  let reads = 0;
  const watched: Store = {
    ...store,
    append: (...args) => (instead.append ? instead.append(store, ...args) : store.append(...args)),
    events: (...args) => {
      reads += 1;
      return store.events(...args);
    },
  };
  return { held: await HeldSession.open(watched, claimed.lease), store, reads: () => reads };
}
