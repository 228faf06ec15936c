import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder, openStore, owner } from "../../test/sqlite/open-store.ts";
import { START } from "../session/position.ts";
import { StorageError, type LostSession, type Store } from "../store/store.ts";
import { tellLost } from "./tell-lost.ts";

it("a session that can't be told of keeps no other from being told of, and is told of at the next look", async () => {
  const told: string[] = [];
  const fault = new StorageError("broken", "no room in this log");
  const store: Pick<Store, "lostSessions" | "strandedSessions" | "append"> = {
    strandedSessions: async () => [],
    lostSessions: async (): Promise<LostSession[]> =>
      ["ses_a", "ses_bad", "ses_b"].map((session) => ({ session, epoch: 1, seq: 3 })),
    append: async (log) => {
      if (log === "ses_bad") throw fault;
      told.push(log);
      return { ok: false, code: "not_found" };
    },
  };
  await expect(tellLost(store)).rejects.toBe(fault);
  expect(told).toEqual(["ses_a", "ses_b"]);
});

it("of several who see that a session is lost one tells it, and nobody once another has gone on", async () => {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  const see = (epoch: number, seq: number) =>
    tellLost({
      lostSessions: async () => [{ session: "ses_a", epoch, seq }],
      strandedSessions: async () => [],
      append: (...args) => store.append(...args),
    });
  await see(1, 1);
  await see(1, 2); // by another node, of the same holder
  await see(2, 1); // of the next one, who has written since
  const facts = await store.events("ses_a", START, 10);
  expect(facts.map(({ type }) => type)).toEqual(["session_created", "executor_lost"]);
});

it("a session whose host stays away is told by name, and that its executor is lost only where nobody has said so", async () => {
  const store = await openStore(join(makeFolder(), "holdfast.db"));
  const see = (session: string, unsaid: boolean) => {
    const key = `stranded:${session}:1`;
    return tellLost({
      lostSessions: async () => [],
      strandedSessions: async () => [{ session, epoch: 1, seq: 1, host: "host-a", unsaid, key }],
      append: (...args) => store.append(...args),
    });
  };
  const told: string[][] = [];
  for (const [session, unsaid] of [
    ["ses_rested", true],
    ["ses_held", false],
  ] as const) {
    await store.createSession({ id: session, profile: "p" }, owner);
    await see(session, unsaid);
    await see(session, unsaid); // by another node
    const [, ...facts] = await store.events(session, START, 10);
    told.push(facts.map(({ type }) => type));
    expect(facts.at(-1)?.data).toMatchObject({
      text: expect.stringMatching(`"host-a".*holdfast sessions move ${session} --yes`),
    });
  }
  expect(told).toEqual([["executor_lost", "notice"], ["notice"]]);
});
