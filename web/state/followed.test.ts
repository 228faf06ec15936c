import { expect, test } from "vitest";
import type { SessionRow } from "../../src/protocol/http.ts";
import { AT_WORK_MAX, sessionsAtWork } from "./followed.ts";

const row = (id: string, status: SessionRow["status"] = "running") => ({ id, status }) as SessionRow; // as much as is asked for
const rows = (count: number) => Array.from({ length: count }, (_, n) => row(`ses_${n}`));

test("a session is followed while it works, waits or recovers, and no longer", () => {
  const all = [
    row("ses_1"),
    row("ses_2", "waiting"),
    row("ses_3", "recovering"),
    row("ses_4", "queued"),
    row("ses_5", "idle"),
    row("ses_6", "ended"),
  ];
  expect(sessionsAtWork(all, ["ses_5"])).toEqual(["ses_1", "ses_2", "ses_3", "ses_4"]);
});

test("of three hundred at work the newest are followed", () => {
  expect(sessionsAtWork(rows(300), [])).toEqual(rows(AT_WORK_MAX).map(({ id }) => id));
});

test("one that is followed is not given up for one that overtakes it", () => {
  const before = sessionsAtWork(rows(300), []);
  const turned = rows(300).toReversed();
  expect(new Set(sessionsAtWork(turned, before))).toEqual(new Set(before));
});
