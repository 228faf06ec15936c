// Two writers on one file: what one of them has written, the other goes on from.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { makeFolder, openStore, owner } from "../../../test/sqlite/open-store.ts";
import type { NewEvent } from "../../session/event.ts";
import { formatPosition, START, type Position } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import type { Lease, StorageError, Store } from "../store.ts";
import { LoneWriter } from "./lone-writer.ts";
import { packBatch } from "./packed-batch.ts";
import { chainOf } from "./page-slice.ts";
import { Rest } from "./rest.ts";
import type { VerbArgs } from "./verbs.ts";

const notice = (text: string): NewEvent => ({ type: "notice", data: { level: "info", text } });
const completed: NewEvent = { type: "step_completed", data: { step: "s1", attempt: 1, message: [] } };

it("drafts that come alone and all that the thread writes are one log, without a gap", async () => {
  const { store, file, alone, append, sayAlone } = await openSpeaking("ses_a");
  const expected: string[] = [];
  for (let fact = 2; fact <= 12; fact++) {
    const said = await sayAlone();
    for (let sub = 1; sub <= said; sub++) expected.push(formatPosition(fact - 1, sub));
    const together = await Promise.all([append(notice(`${fact}`)), append(draft()), append(draft())]);
    expect(together).toEqual([0, 1, 2].map((sub) => formatPosition(fact, sub)));
    expected.push(...together);
    const next = await sayAlone(3);
    for (let sub = 3; sub < 3 + next; sub++) expected.push(formatPosition(fact, sub));
    fact += 1;
    expected.push(await append(notice(`${fact}`)));
  }
  expect(alone()).toBeGreaterThanOrEqual(12);
  expect(chainsIn(file)).toBe("unbroken");
  const events = await store.events("ses_a", START, 10_000);
  expect(events.slice(1).map(({ position }) => position as string)).toEqual(expected);

  await append(completed);
  await expect.poll(async () => (await store.check()).events).toBe(events.length - draftsIn(expected) + 1);
  expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
});

it("comes behind what the thread has been told and not done yet", async () => {
  neverRest();
  const { append } = await openSpeaking("ses_a");
  for (let fact = 2; fact <= 20; fact++) {
    const told = append(notice(`${fact}`));
    if (fact % 2 === 0) await new Promise((resolve) => process.nextTick(resolve)); // then it is on its way
    const positions = [formatPosition(fact, 0), formatPosition(fact, 1)];
    expect(await Promise.all([told, append(draft())])).toEqual(positions);
  }
});

it("a holder whose lease the thread gave away is refused alone, too", async () => {
  const { store, alone, append, sayAlone, lease } = await openSpeaking("ses_a");
  await sayAlone();
  await store.releaseLease(lease);
  expect(await store.claimLease("ses_a", 60_000)).toMatchObject({ ok: true });
  const { position } = (await store.head("ses_a")) ?? {};
  const before = alone();
  await expect
    .poll(async () => {
      await expect(append(draft())).rejects.toThrow("lease_lost");
      return alone();
    })
    .toBeGreaterThan(before);
  expect(await store.head("ses_a")).toMatchObject({ position });
});

it("takes no time from a lease that lasts, be it of another session", async () => {
  let now = 0;
  const { store, sayAlone, lease } = await openSpeaking("ses_a", () => now);
  await store.createSession({ id: "ses_b", profile: "p" }, owner);
  const other = await store.claimLease("ses_b", 90_000);
  if (!other.ok) throw new Error(other.code);
  now = 29_000; // an extension that need not be written yet
  await store.append("ses_b", [notice("b")], { by: "executor", lease: other.lease });
  now = 15_000;
  await sayAlone();
  now = 70_000;
  expect(await store.claimLease("ses_a", 1_000)).toEqual({ ok: false, code: "held" }); // until 75 s
  now = 100_000;
  expect(await store.claimLease("ses_b", 1_000)).toEqual({ ok: false, code: "held" }); // until 119 s
  expect(await store.claimLease("ses_a", 1_000)).toMatchObject({
    ok: true,
    lease: { epoch: lease.epoch + 1 },
  });
});

it("extends a lease no farther than a clock allows that was set back since", async () => {
  let now = 0;
  const { store, sayAlone } = await openSpeaking("ses_a", () => now);
  now = 36_000_000;
  await sayAlone();
  now = 3_600_000;
  expect(await store.claimLease("ses_a", 1_000)).toEqual({ ok: false, code: "held" });
  now += 1_000;
  expect(await store.claimLease("ses_a", 1_000)).toMatchObject({ ok: true });
});

it("does not wait for a file that is locked from outside, and leaves the append to the thread", async () => {
  const { store, file, lease } = await openSpeaking("ses_a");
  const failed = vi.fn<(error: StorageError) => void>();
  const lone = new LoneWriter(file, failed);
  const outside = new DatabaseSync(file);
  onTestFinished(() => {
    lone.close();
    outside.close();
  });
  outside.exec("begin immediate");
  expect(lone.append(...draftBy(lease))).toBeUndefined();
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ kind: "busy" }));
  outside.exec("commit");
  expect(await store.head("ses_a")).toMatchObject({ position: formatPosition(1, 0) });
});

it("the thread knows where a log stands after what was written alone", async () => {
  const { store, append, sayAlone } = await openSpeaking("ses_a");
  await append(draft());
  await sayAlone(2);
  const { position } = (await store.head("ses_a")) ?? {};
  const late = await store.append(
    "ses_a",
    [notice("late")],
    { by: "client", author: owner },
    { expectSeq: 0 },
  );
  expect(late).toEqual({ ok: false, code: "moved", position });
});

it("writes nothing once it is closed, and the journal is gone with the store", async () => {
  const { store, file, lease, sayAlone } = await openSpeaking("ses_a");
  await sayAlone();
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  const lone = new LoneWriter(file, () => {});
  lone.close();
  expect(lone.append(...draftBy(lease))).toBeUndefined();
});

function neverRest(): void {
  const rest = vi.spyOn(Rest.prototype, "isOver").mockReturnValue(true);
  onTestFinished(() => rest.mockRestore());
}

let words = 0;

function draft(): NewEvent {
  return { type: "draft", data: { part: "s1.1/0", kind: "text", offset: words++, text: "d" } };
}

function draftBy({ log, holder, epoch, ttlMs }: Lease): VerbArgs<"append"> {
  const batch = prepareBatch([draft()], new Date().toISOString(), { executor: holder, epoch });
  return [log, packBatch(batch, Date.now()), Date.now(), [holder, epoch, ttlMs], null];
}

function draftsIn(positions: readonly string[]): number {
  return positions.filter((position) => !position.endsWith("_0000000000000000")).length;
}

/** Whether each fact's checksum goes on from that of the fact before it. */
function chainsIn(file: string): "unbroken" | number {
  const database = new DatabaseSync(file, { readOnly: true });
  const facts = database.prepare("select seq, text, chain from event where sub = 0 order by seq").all();
  database.close();
  let before: number | null = null;
  for (const { seq, text, chain } of facts) {
    before = chainOf(text as string, before);
    if (chain !== before) return seq as number;
  }
  return "unbroken";
}

async function openSpeaking(session: string, clock = Date.now) {
  const spy = vi.spyOn(LoneWriter.prototype, "append");
  onTestFinished(() => spy.mockRestore());
  const file = join(makeFolder(), "holdfast.db");
  const store: Store = await openStore(file, { clock });
  await store.createSession({ id: session, profile: "p" }, owner);
  const claimed = await store.claimLease(session, 60_000);
  if (!claimed.ok) throw new Error(claimed.code);
  const { lease } = claimed;
  const append = async (event: NewEvent): Promise<Position> => {
    const appended = await store.append(session, [event], { by: "executor", lease });
    if (!appended.ok) throw new Error(appended.code);
    return appended.position;
  };
  const alone = () => spy.mock.results.filter(({ value }) => value !== undefined).length;
  /** How many drafts it took until one of them was written without the thread. */
  const sayAlone = async (sub = 1): Promise<number> => {
    const before = alone();
    let said = 0;
    await expect
      .poll(async () => {
        expect(await append(draft())).toMatch(new RegExp(`_0*${sub + said}$`));
        said += 1;
        return alone();
      })
      .toBeGreaterThan(before);
    return said;
  };
  return { store, file, lease, alone, append, sayAlone };
}
