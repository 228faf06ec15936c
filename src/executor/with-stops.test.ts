import { expect, it } from "vitest";
import { StorageError, type Lease, type Store } from "../store/store.ts";
import { wallClock } from "./clock.ts";
import { HeldSession, LeaseLost } from "./held-session.ts";
import { owner, useScene } from "./scene.ts";
import { intend } from "./tool-work.ts";
import { withStops } from "./with-stops.ts";

const LEASE_MS = 15_000;
const scene = useScene();
const clock = { now: wallClock.now, after: (_: number, run: () => void) => wallClock.after(1, run) };

async function claim(session: string): Promise<Lease> {
  const claimed = await scene.store.claimLease(session, LEASE_MS);
  if (!claimed.ok) throw new Error(`${session} can't be claimed: ${claimed.code}`);
  return claimed.lease;
}

/** A session with a turn, held through a store that does to reads what it is told to. */
async function working(events: Store["events"] = (...asked) => scene.store.events(...asked)) {
  const id = await scene.send("go");
  const lease = await claim(id);
  await scene.append(id, { type: "turn_started", data: { turn: "t1", inputs: [] } });
  const session = await HeldSession.open({ ...scene.store, events }, lease);
  return { id, session };
}

const stop = (id: string) => scene.append(id, { type: "stop_requested", data: { turn: "t1" } });
const never = new AbortController().signal;

/** Resolves with why it was broken off. */
function untilBrokenOff(session: HeldSession): Promise<unknown> {
  return new Promise((resolve, reject) => {
    withStops({ store: scene.store, clock }, session, never, async (signal) => {
      await new Promise<void>((over) => signal.addEventListener("abort", () => over(), { once: true }));
      resolve(signal.reason);
    }).catch(reject);
  });
}

it("a stop is heard while something runs", async () => {
  const { id, session } = await working();
  const brokenOff = untilBrokenOff(session);
  await stop(id);
  expect(await brokenOff).toBe("stopped");
});

it("a stop that came before anyone listened is heard", async () => {
  const { id, session } = await working();
  await stop(id);
  expect(await untilBrokenOff(session)).toBe("stopped");
});

it("a stop is heard though the log could not be read at first", async () => {
  let failures = 0;
  let reached = true;
  const { id, session } = await working(async (...asked) => {
    if (reached || ++failures > 3) return scene.store.events(...asked);
    throw new StorageError("busy", "not now");
  });
  reached = false;
  await stop(id);
  expect(await untilBrokenOff(session)).toBe("stopped");
  expect(failures).toBeGreaterThan(3);
});

it("what runs is broken off, and the fault told, when a stop could not be heard any more", async () => {
  let broken = false;
  const { session } = await working(async (...asked) => {
    if (!broken) return scene.store.events(...asked);
    throw new StorageError("broken", "the disk is gone");
  });
  broken = true;
  const reasons: unknown[] = [];
  const running = withStops({ store: scene.store, clock }, session, never, async (signal) => {
    await new Promise<void>((over) => signal.addEventListener("abort", () => over(), { once: true }));
    reasons.push(signal.reason);
  });
  await expect(running).rejects.toThrow("the disk is gone");
  expect(reasons).toEqual(["shutdown"]);
});

it("a holder gives up as soon as it sees what its successor wrote (invariant 3)", async () => {
  const { id, session } = await working();
  scene.advance(LEASE_MS + 1);
  const lease = await claim(id);
  await scene.store.append(id, [{ type: "notice", data: { level: "info", text: "mine now" } }], {
    by: "executor",
    lease,
  });
  await expect(session.catchUp()).rejects.toThrow(LeaseLost);
});

it("what people write does not make a holder give up", async () => {
  const { id, session } = await working();
  await scene.store.append(id, [{ type: "session_titled", data: { title: "Other" } }], {
    by: "client",
    author: owner,
  });
  await session.catchUp();
  expect(session.view.meta.title).toBe("Other");
});

it("nothing begins once what it belongs to is being broken off", async () => {
  const { session } = await working();
  const before = session.view.position;
  const begun = await intend({ session, signal: AbortSignal.abort() }, [
    { type: "notice", data: { level: "info", text: "about to act" } },
  ]);
  expect(begun).toBe(false);
  await session.catchUp();
  expect(session.view.position).toBe(before);
});
