import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder, openStore, owner } from "../../test/sqlite/open-store.ts";
import type { NewFact } from "../session/event.ts";
import type { Store } from "../store/store.ts";
import { HeldSession } from "./held-session.ts";

const notice = (text: string): NewFact => ({ type: "notice", data: { level: "info", text } });

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

async function hold(): Promise<{ held: HeldSession; store: Store; reads: () => number }> {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const claimed = await store.claimLease("ses_a", 60_000);
  if (!claimed.ok) throw new Error(claimed.code);
  let reads = 0;
  const counting: Store = {
    ...store,
    events: (...args) => {
      reads += 1;
      return store.events(...args);
    },
  };
  return { held: await HeldSession.open(counting, claimed.lease), store, reads: () => reads };
}
