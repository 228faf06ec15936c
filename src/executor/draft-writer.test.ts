import { expect, it } from "vitest";
import { manualClock } from "../../test/manual-clock.ts";
import { keepSecret, NO_SECRETS, type Secrets } from "../secret/secrets.ts";
import type { NewDraft } from "../session/event.ts";
import { DraftBeat } from "./draft-beat.ts";
import { DraftWriter } from "./draft-writer.ts";

function writing(disk: Promise<void> = Promise.resolve(), secrets: Secrets = NO_SECRETS) {
  const clock = manualClock();
  const written: string[] = [];
  const drafts = new DraftWriter(new DraftBeat(clock), secrets, async (events: NewDraft[]) => {
    await disk;
    written.push(...events.map(({ data }) => data.text));
  });
  return { drafts, written, pass: (ms: number) => clock.advance(ms) };
}

it("what was said and not written yet is written when it is asked for", async () => {
  const { drafts, written } = writing();
  drafts.add("s1.1/0", "text", "the last words");
  await drafts.flush();
  expect(written).toEqual(["the last words"]);
});

it("words that a fact will say are left to it, also by the beat that they had joined", async () => {
  const { drafts, written, pass } = writing();
  drafts.add("s1.1/0", "text", "the last words");
  await drafts.leaveRest();
  pass(100);
  await drafts.leaveRest();
  expect(written).toEqual([]);
});

it("what is on its way is waited for, and what went wrong with it is told", async () => {
  const disk = Promise.withResolvers<void>();
  const { drafts, pass } = writing(disk.promise);
  drafts.add("s1.1/0", "text", "the first words");
  pass(0);
  let over = false;
  const left = drafts.leaveRest().finally(() => (over = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  disk.reject(new Error("the disk is gone"));
  await expect(left).rejects.toThrow("the disk is gone");
});

it("a secret that comes in two deltas is hidden, and what follows it stands where the hidden text ends", async () => {
  const secrets = keepSecret([{ name: "A_KEY", value: "sk-12345678" }]);
  const { drafts, written, pass } = writing(undefined, secrets);
  drafts.add("s1.1/0", "text", "It is sk-123");
  pass(100);
  drafts.add("s1.1/0", "text", "45678, s");
  drafts.add("s1.1/1", "reasoning", "45678");
  await drafts.flush();
  expect(written).toEqual(["It is ", "[secret: A_KEY], s", "45678"]);
});
