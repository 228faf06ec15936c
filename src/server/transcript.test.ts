import { expect, test } from "vitest";
import type { AnyEvent, By, NewEvent, NewFact } from "../session/event.ts";
import { formatPosition } from "../session/position.ts";
import { transcript } from "./transcript.ts";

const OWNER: By = { person: "owner" };

test("a transcript reads as a conversation, with tools and long texts whole", async () => {
  const text = await read(
    [
      { type: "session_created", data: { profile: "default", title: "Tidy\nup" } },
      { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "List the files" } },
      {
        type: "step_completed",
        data: {
          step: "s1",
          attempt: 1,
          message: [
            { type: "reasoning", text: "not for here" },
            { type: "text", text: "I will look." },
            { type: "call", call: "c1", name: "shell", args: { command: "ls" } },
          ],
        },
      },
      {
        type: "tool_finished",
        data: { call: "c1", status: "ok", result: { blob: "blb_1", bytes: 9, preview: "a" } },
      },
      { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
    ],
    { blb_1: "```\nall of it" },
  );
  expect(text).toContain("# Tidy up\n");
  expect(text).toContain("## owner\n\n*2026-11-15 09:00*\n\nList the files\n");
  expect(text).toContain('I will look.\n\n**Tool: shell**\n\n```\n{\n  "command": "ls"\n}\n```');
  expect(text).toContain("**Result (ok)**\n\n````\n```\nall of it\n````");
  expect(text).not.toContain("not for here");
});

test("a transcript has the words of an answer that ended in its middle", async () => {
  const text = await read(
    [
      { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "overloaded" } },
      { type: "step_aborted", data: { step: "s1", attempt: 2, reason: "stopped", said: "I was just" } },
      {
        type: "turn_ended",
        data: { turn: "t1", outcome: "failed", said: { blob: "blb_1", bytes: 9, preview: "a" } },
      },
    ],
    { blb_1: "about to" },
  );
  expect(text).toContain("*Interrupted: overloaded.*\n\nI was just\n\n*Interrupted: stopped.*\n");
  expect(text).toContain("about to\n\n*The turn failed.*");
});

test("a transcript has what an attempt said that broke off, once, though no fact has it", async () => {
  const text = await read(
    [
      ...attempt(1, "Let me", " see"),
      { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "its server was lost" } },
      ...attempt(2, "I was just"),
      { type: "step_aborted", data: { step: "s1", attempt: 2, reason: "overloaded" } },
      { type: "turn_ended", data: { turn: "t1", outcome: "failed", said: "I was just" } },
      ...attempt(3, "All of it, hal"),
      {
        type: "step_completed",
        data: { step: "s1", attempt: 3, message: [{ type: "text", text: "All of it, whole." }] },
      },
      { type: "turn_ended", data: { turn: "t2", outcome: "stopped" } },
      ...attempt(4, "And now"),
    ],
    {},
  );
  expect(text).toBe(
    [
      "Let me see\n\n*Interrupted: its server was lost.*",
      "I was just\n\n*Interrupted: overloaded.*",
      "*The turn failed.*",
      "All of it, whole.",
      "*The turn stopped.*",
      "And now\n\n*Still being answered.*\n\n",
    ].join("\n\n"),
  );
});

test("a transcript says who had a turn tried again", async () => {
  const text = await read(
    [
      { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } },
      { type: "turn_started", data: { turn: "t2", inputs: [], retries: "t1" } },
    ],
    {},
  );
  expect(text).toBe("*Tried again by owner.*\n\n");
});

test("a transcript says why an answer ended early, also one without a word", async () => {
  const step = { step: "s1", attempt: 1 };
  const text = await read(
    [
      {
        type: "step_completed",
        data: { ...step, message: [{ type: "text", text: "I was just" }], finish: "length" },
      },
      { type: "step_completed", data: { ...step, message: [], finish: "filter" } },
      { type: "step_completed", data: { ...step, message: [], finish: "other" } },
      {
        type: "step_completed",
        data: { ...step, message: [{ type: "text", text: "Done." }], finish: "other" },
      },
    ],
    {},
  );
  expect(text.split("\n\n")).toEqual([
    "I was just",
    "*The model stopped at its length limit.*",
    "*The provider's filter ended this answer.*",
    "*The provider ended this answer without a word, and did not say why.*",
    "Done.",
    "",
  ]);
});

test("a fact that a newer version wrote is passed over", async () => {
  const unknown = { type: "moon_landed", data: {} } as unknown as NewFact;
  expect(await read([unknown], {})).toBe("");
});

function attempt(n: number, ...texts: string[]): NewEvent[] {
  const started: NewEvent = {
    type: "step_started",
    data: { turn: "t1", step: "s1", attempt: n, model: "m" },
  };
  const thought: NewEvent = {
    type: "draft",
    data: { part: `s1.${n}/0`, kind: "reasoning", offset: 0, text: "not for here" },
  };
  let offset = 0;
  const drafts = texts.map((text): NewEvent => {
    offset += text.length;
    return { type: "draft", data: { part: `s1.${n}/1`, kind: "text", offset: offset - text.length, text } };
  });
  return [started, thought, ...drafts];
}

async function read(log: NewEvent[], blobs: Record<string, string>): Promise<string> {
  async function* events(): AsyncGenerator<AnyEvent> {
    for (const [n, event] of log.entries())
      yield { position: formatPosition(n + 1, 0), at: "2026-11-15T09:00:00.000Z", by: OWNER, ...event };
  }
  const blob = (id: string) => Promise.resolve(blobs[id] === undefined ? undefined : Buffer.from(blobs[id]));
  let text = "";
  for await (const part of transcript(events(), { blob })) text += part;
  return text;
}
