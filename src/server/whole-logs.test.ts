import { expect, it } from "vitest";
import { formatPosition, START, type Position } from "../session/position.ts";
import { DamagedEvent, type Page } from "../store/store.ts";
import { WholeLogs } from "./whole-logs.ts";

const MINUTE_MS = 60_000;

/** A log of three pages, read at a time that the test owns. */
function log() {
  const state = { now: 1_000_000, reads: 0, damaged: false };
  const page = (id: string, after: Position): Promise<Page> => {
    const n = after === START ? 1 : Number(after.slice(0, 16)) + 1;
    if (n === 1) state.reads += 1;
    if (state.damaged && n === 3) return Promise.reject(new DamagedEvent(id, formatPosition(3, 0)));
    return Promise.resolve({
      bytes: Buffer.alloc(0),
      count: 1,
      last: formatPosition(n, 0),
      upToDate: n === 3,
    });
  };
  return { state, logs: new WholeLogs({ page }, () => state.now) };
}

it("a log is read to its end, and then trusted for a while", async () => {
  const { state, logs } = log();
  await logs.check("ses_a");
  state.damaged = true;
  state.now += MINUTE_MS - 1;
  await logs.check("ses_a");
  expect(state.reads).toBe(1);
  state.now += 1;
  await expect(logs.check("ses_a")).rejects.toThrow(DamagedEvent);
  await expect(logs.check("ses_a")).rejects.toThrow(DamagedEvent);
  state.damaged = false;
  await logs.check("ses_a");
  expect(state.reads).toBe(4);
});

it("a clock that was set back does not make the while longer", async () => {
  const { state, logs } = log();
  await logs.check("ses_a");
  state.now -= 60 * MINUTE_MS;
  await logs.check("ses_a");
  expect(state.reads).toBe(2);
});
