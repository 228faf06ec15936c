import { expect, it } from "vitest";
import type { NewEvent } from "../session/event.ts";
import { authorOf, prepareBatch } from "./batch.ts";

const at = "2026-11-15T09:00:00.000Z";
const owner = { person: "owner" };
const fact: NewEvent = { type: "notice", data: { level: "info", text: "x" } };
const draft = (part: string): NewEvent => ({
  type: "draft",
  data: { part, kind: "text", offset: 0, text: "x" },
});

it("places facts and drafts relative to where the log will stand", () => {
  const batch = prepareBatch(
    [draft("s.1/0"), fact, draft("s.1/0"), draft("s.1/1"), fact, draft("s.1/0")],
    at,
    owner,
  );
  expect(batch.entries.map(({ facts, drafts }) => [facts, drafts])).toEqual([
    [0, 1],
    [1, 0],
    [1, 1],
    [1, 2],
    [2, 0],
    [2, 1],
  ]);
  expect([batch.facts, batch.drafts]).toEqual([2, 1]);
  expect(batch.entries.map(({ owner: draftOwner }) => draftOwner)).toEqual([
    "s.1",
    null,
    "s.1",
    "s.1",
    null,
    "s.1",
  ]);
});

it("names what a batch sweeps, ends and changes", () => {
  const batch = prepareBatch(
    [
      { type: "step_completed", data: { step: "s", attempt: 2, message: [{ type: "text", text: "hello" }] } },
      { type: "session_ended", data: { reason: "reset", successor: "ses_b" } },
    ],
    at,
    owner,
  );
  expect(batch.sweeps).toEqual(["s.2"]);
  expect(batch.ends).toEqual({ successor: "ses_b" });
  expect(batch.change?.set).toMatchObject({ ended: true, successor: "ses_b" });
  expect(batch.entries[0]).toMatchObject({ tally: "message", search: "hello" });
  expect(prepareBatch([draft("s.1/0")], at, owner).change).toBeUndefined();
});

it("refuses nothing at all, and anything behind the end", () => {
  expect(() => prepareBatch([], at, owner)).toThrow(RangeError);
  expect(() => prepareBatch([{ type: "session_ended", data: { reason: "x" } }, fact], at, owner)).toThrow(
    "session_ended",
  );
});

it("counts as a person's own only what that person wrote", () => {
  const author = (by: Parameters<typeof prepareBatch>[2]) => prepareBatch([fact], at, by).entries[0]?.author;
  expect(author({ person: "anna", device: "phone" })).toBe("anna");
  expect(author({ person: "anna", program: true })).toBeNull();
  expect(author(authorOf({ by: "keeper", keeper: "sweep", key: "k" }))).toBeNull();
  const lease = { log: "ses_a", holder: "nod_1", epoch: 3, ttlMs: 1 };
  expect(authorOf({ by: "executor", lease })).toEqual({ executor: "nod_1", epoch: 3 });
});
