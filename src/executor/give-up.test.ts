import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder, openStore, owner } from "../../test/sqlite/open-store.ts";
import type { NewFact } from "../session/event.ts";
import { START, type Position } from "../session/position.ts";
import type { Lease, Store, Writer } from "../store/store.ts";
import { hasNews, tellGivenUp } from "./give-up.ts";

const notice: NewFact = { type: "notice", data: { level: "info", text: "a word" } };
const FAULT = new Error("it does not fold");

it("that a session was given up is told once, though it is told behind it that an executor was lost", async () => {
  const { store, lease } = await hold();
  const told = await tellGivenUp(store, lease, FAULT);
  await append(store, [{ type: "executor_lost", data: { epoch: 1 } }], keeper("executor"));
  expect(await tellGivenUp(store, lease, FAULT)).toBe(told);
  expect(await types(store)).toEqual(["session_created", "executor_gave_up", "executor_lost"]);
});

it("that a session was given up is told again when something else stands behind it", async () => {
  const { store, lease } = await hold();
  await tellGivenUp(store, lease, FAULT);
  await append(store, [notice], client);
  await append(store, [{ type: "executor_lost", data: { epoch: 1 } }], keeper("executor"));
  await tellGivenUp(store, lease, FAULT);
  expect((await types(store)).at(-1)).toBe("executor_gave_up");
});

it("the reason is told in a few words, however many the fault has, and whatever was thrown", async () => {
  const { store, lease } = await hold();
  await tellGivenUp(store, lease, "x".repeat(300_000));
  const told = (await store.events("ses_a", START, 10)).at(-1);
  expect(told?.data).toMatchObject({ reason: expect.stringMatching(/^x{900,1000}/) });
  expect(JSON.stringify(told).length).toBeLessThan(2_000);
});

it("a session that went to another executor, or is gone, is not ours to give up", async () => {
  const { store, lease } = await hold();
  expect(await tellGivenUp(store, { ...lease, epoch: lease.epoch - 1 }, FAULT)).toBeUndefined();
  expect(await types(store)).toEqual(["session_created"]);
  await store.deleteSession("ses_a", { force: true });
  expect(await tellGivenUp(store, lease, FAULT)).toBeUndefined();
});

it("news is what no executor wrote, and what is too much to go through", async () => {
  const { store, lease } = await hold();
  const after = (await store.head("ses_a"))?.position as Position;
  expect(await hasNews(store, "ses_a", after)).toBe(false);
  await append(store, [notice], { by: "executor", lease });
  await append(store, [{ type: "executor_lost", data: { epoch: 1 } }], keeper("executor"));
  expect(await hasNews(store, "ses_a", after)).toBe(false);
  const behind = (await store.head("ses_a"))?.position as Position;
  await append(store, [notice], keeper("delegates"));
  expect(await hasNews(store, "ses_a", behind)).toBe(true);

  const last = (await store.head("ses_a"))?.position as Position;
  await append(
    store,
    Array.from({ length: 50 }, () => notice),
    { by: "executor", lease },
  );
  await append(store, [notice], client);
  expect(await hasNews(store, "ses_a", last)).toBe(true);
});

const client: Writer = { by: "client", author: owner };

function keeper(name: string): Writer {
  return { by: "keeper", keeper: name, key: `${name}:1` };
}

async function append(store: Store, facts: NewFact[], writer: Writer): Promise<void> {
  expect(await store.append("ses_a", facts, writer)).toMatchObject({ ok: true });
}

async function types(store: Store): Promise<string[]> {
  return (await store.events("ses_a", START, 100)).map(({ type }) => type);
}

async function hold(): Promise<{ store: Store; lease: Lease }> {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_a", profile: "default" }, owner);
  const claimed = await store.claimLease("ses_a", 60_000);
  if (!claimed.ok) throw new Error(claimed.code);
  return { store, lease: claimed.lease };
}
