// A session's view as it is sent. Only /openapi.json asks for it, so nothing else loads it.
import { z } from "zod";
import { Attachment, By, DelegateResult, factData, LongText, Usage } from "../session/event.ts";
import type { Message, Part, View } from "../session/view.ts";
import { PositionText } from "./http.ts";
import { describes } from "./same-shape.ts";

const { shape: ended } = factData.turn_ended;
const { shape: asked } = factData.ask_answered;
const text = z.string();
const time = z.iso.datetime();

const PartSchema = describes<Part>()(
  "Part",
  z.union([
    z.object({
      id: text,
      kind: z.enum(["text", "reasoning"]),
      text,
      blob: text.nullable().describe("Where the whole lies when text is only how it begins"),
      ms: z.number().nullable(),
    }),
    z.object({
      id: text,
      kind: z.literal("tool"),
      call: text,
      name: text,
      args: z.unknown(),
      effect: factData.tool_proposed.shape.effect.nullable(),
      state: z.enum(["drafting", "called", "proposed", "started", "finished"]),
      status: factData.tool_finished.shape.status.nullable(),
      draft: text.describe("The last 4,096 characters of what is being streamed"),
      draftChars: z.number(),
      result: text.describe("The first 4,096 characters"),
      resultChars: z.number(),
      blob: text.nullable(),
      exit: z.number().nullable(),
      process: text.nullable(),
      delegate: text.nullable().describe("The session that does it"),
      trace: z.unknown(),
      answer: asked.answer.nullable(),
      asked: text.nullable(),
      startedAt: time.nullable(),
      endedAt: time.nullable(),
    }),
  ]),
);

const row = { id: text, position: PositionText, at: time };

export const MessageSchema = describes<Message>()(
  "Message",
  z.union([
    z.object({
      ...row,
      kind: z.literal("input"),
      input: z.enum(["prompt", "steer"]),
      text: LongText,
      by: By,
      attachments: z.array(Attachment),
      turn: text.nullable(),
      delegate: DelegateResult.exactOptional(),
    }),
    z.object({
      ...row,
      kind: z.literal("step"),
      turn: text.nullable(),
      step: text,
      attempt: z.number(),
      model: text,
      state: z.enum(["streaming", "completed", "aborted"]),
      reason: text.nullable(),
      retryAt: time.nullable(),
      finish: z.enum(["length", "filter", "other"]).nullable(),
      parts: z.array(PartSchema),
      usage: Usage.nullable(),
      endedAt: time.nullable(),
    }),
    z.object({
      ...row,
      kind: z.literal("turn_end"),
      turn: text,
      outcome: ended.outcome,
      message: text.nullable(),
      error: ended.error.unwrap().nullable(),
      usage: Usage,
      startedAt: time.nullable(),
    }),
    z.object({
      ...row,
      kind: z.literal("divider"),
      divider: z.enum(["compacted", "forked", "imported", "ended", "recovered", "detached", "retried"]),
      text,
    }),
    z.object({ ...row, kind: z.literal("notice"), level: factData.notice.shape.level, text }),
    z.object({
      ...row,
      kind: z.literal("task"),
      task: text,
      title: text,
      outcome: text.nullable(),
      summary: LongText.nullable(),
    }),
  ]),
);

export const ViewSchema = describes<View>()(
  "View",
  z.object({
    position: PositionText.describe("Of the last event that it holds: attach after it"),
    meta: z.object({
      title: text.nullable(),
      profile: text,
      workspace: text.nullable(),
      lane: text.nullable(),
      model: text.nullable(),
      createdAt: time,
      origin: factData.session_created.shape.origin.unwrap().nullable(),
      forkedFrom: z.object({ session: text, at: text }).nullable(),
      continues: text.nullable(),
    }),
    messages: z.array(MessageSchema).describe("The newest, oldest first"),
    earlier: z.number().describe("How many came before those"),
    chars: z.number(),
    counts: z.object({ messages: z.number(), tools: z.number() }),
    turn: z
      .object({
        id: text,
        inputs: z.array(text),
        startedAt: time,
        stopRequested: z.boolean(),
        usage: Usage,
        steps: z.number(),
        retryAt: time.nullable(),
        triedMs: z.number(),
        recovering: z.boolean(),
        takeovers: z.number(),
      })
      .nullable(),
    failed: z.boolean(),
    queue: z.array(
      z.object({
        input: text,
        kind: z.enum(["prompt", "steer"]),
        text: LongText,
        delivery: z.enum(["queue", "now"]),
        attachments: z.array(Attachment),
        delegate: DelegateResult.exactOptional(),
        by: By,
        at: time,
        position: PositionText,
      }),
    ),
    held: z.boolean(),
    asks: z.array(factData.ask_opened.extend({ openedAt: time, position: PositionText })),
    processes: z.array(factData.process_started.extend({ startedAt: time, stale: z.boolean() })),
    delegates: z.array(z.object({ session: text, call: text, background: z.boolean(), at: time })),
    rules: z.array(factData.rule_added),
    usage: Usage,
    compacted: z.object({ at: PositionText, covers: text, summary: LongText }).nullable(),
    compacting: z.boolean(),
    ended: z.object({ reason: text, successor: text.nullable(), at: time }).nullable(),
  }),
);
