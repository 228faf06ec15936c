// Every entry that a session's log can hold, in one place: facts in the past tense, and the draft. Types come
// from here everywhere; the schemas themselves run only at the edges (a page that folds imports types alone).
import { z } from "zod";
import type { Position } from "./position.ts";

/** A text that was too long for an event lies in the store as a blob; the event keeps how it begins. */
export const LongText = z.union([
  z.string(),
  z.object({ blob: z.string(), bytes: z.number(), preview: z.string() }),
]);
export type LongText = z.infer<typeof LongText>;

export const By = z.union([
  z.object({ person: z.string(), device: z.string().optional(), program: z.literal(true).optional() }),
  z.object({ executor: z.string(), epoch: z.number() }),
  z.object({ keeper: z.string() }),
]);
export type By = z.infer<typeof By>;

export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  /** In US dollars; absent when the model's price is unknown. */
  cost: z.number().optional(),
  /** Of a sum: tokens that are not in its cost, since their model's price is unknown. */
  unpricedTokens: z.number().optional(),
});
export type Usage = z.infer<typeof Usage>;

export const DelegateResult = z.object({
  session: z.string(),
  outcome: z.enum(["completed", "failed", "stopped"]),
});
export type DelegateResult = z.infer<typeof DelegateResult>;

export const Attachment = z.object({
  file: z.string(),
  name: z.string(),
  type: z.string(),
  bytes: z.number(),
});
export type Attachment = z.infer<typeof Attachment>;

const InputKind = z.enum(["prompt", "steer"]);
const Delivery = z.enum(["queue", "now"]);
const AskKind = z.enum(["approval", "clarify"]);
const ToolStatus = z.enum(["ok", "error", "denied", "unknown", "stopped"]);
const TurnOutcome = z.enum(["completed", "failed", "stopped"]);
const Effect = z.enum(["read", "idempotent", "unsafe"]);
const Fault = z.object({ code: z.string(), message: z.string(), details: z.string().optional() });

/** A piece of a model's message. What the provider needs back (a signature, say) travels in `provider`. */
const Piece = z.union([
  z.object({ type: z.literal("text"), text: LongText, provider: z.unknown().optional() }),
  z.object({
    type: z.literal("reasoning"),
    text: LongText,
    /** How long the model was at it. */
    ms: z.number().optional(),
    provider: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("call"),
    call: z.string(),
    name: z.string(),
    args: z.unknown(),
    provider: z.unknown().optional(),
  }),
  z.object({ type: z.literal("custom"), value: z.unknown() }),
]);
export type Piece = z.infer<typeof Piece>;

const Choice = z.object({ id: z.string(), label: z.string() });

/** An argument of a call that is asked about. `bytes` are those of the whole, where `text` is only its beginning. */
export const AskDetail = z.object({ name: z.string(), text: z.string(), bytes: z.number().optional() });
export type AskDetail = z.infer<typeof AskDetail>;

/** `match` is a pattern over what the call is about, with `*`; or `sha256:…`, which is exactly one tool, its whole arguments and one directory. */
export const Rule = z.object({
  tool: z.string(),
  match: z.string(),
  decision: z.enum(["allow", "deny"]),
  /** What the person saw when they made it. */
  shown: z.string().optional(),
});
export type Rule = z.infer<typeof Rule>;

/** The data of each fact, by its type. */
export const factData = {
  session_created: z.object({
    profile: z.string(),
    title: z.string().optional(),
    workspace: z.string().optional(),
    lane: z.string().optional(),
    model: z.string().optional(),
    origin: z
      .object({
        kind: z.enum(["fork", "task", "delegation"]),
        session: z.string(),
        at: z.string().optional(),
      })
      .optional(),
    /** The session of which this is the successor. */
    continues: z.string().optional(),
  }),
  /** The directory that was made for it, since nobody named one. */
  workspace_chosen: z.object({ workspace: z.string() }),
  session_titled: z.object({ title: z.string() }),
  /** `continues`: it is the successor of that session, and no row of its own beside it. */
  session_forked: z.object({ from: z.string(), at: z.string(), continues: z.literal(true).optional() }),
  /** It was brought in from an export: `from` is the session's id there, when that is known; `at` the last fact of it. */
  /** Where it works from here on is for whoever brought it in to say; else it is its profile's own place. */
  session_imported: z.object({
    from: z.string().optional(),
    at: z.string(),
    workspace: z.string().optional(),
  }),
  session_ended: z.object({ reason: z.string(), successor: z.string().optional() }),
  reset_skipped: z.object({ reasons: z.array(z.string()) }),
  model_changed: z.object({ model: z.string() }),
  rule_added: Rule,

  input_admitted: z.object({
    input: z.string(),
    kind: InputKind,
    text: LongText,
    delivery: Delivery.optional(),
    attachments: z.array(Attachment).optional(),
    /** Whose result it is: of a session that worked for this one while it went on. */
    delegate: DelegateResult.optional(),
  }),
  /** Replaces the input whole. */
  input_edited: z.object({
    input: z.string(),
    kind: InputKind,
    text: LongText,
    delivery: Delivery.optional(),
    attachments: z.array(Attachment).optional(),
  }),
  /** `before` is the input that it now stands in front of; absent: it goes last. */
  input_moved: z.object({ input: z.string(), before: z.string().optional() }),
  input_withdrawn: z.object({ input: z.string() }),
  /** `from` is where its text stands in the log, so that a page of history can fetch it. */
  input_delivered: z.object({
    input: z.string(),
    turn: z.string(),
    step: z.string().optional(),
    from: z.string(),
  }),
  queue_held: z.object({ reason: z.string() }),
  queue_released: z.object({}),

  /** `retries` is the turn that failed and that this one goes on with: then no input begins it, but a person's word. */
  turn_started: z.object({
    turn: z.string(),
    inputs: z.array(z.string()),
    retries: z.string().optional(),
  }),
  stop_requested: z.object({ turn: z.string() }),
  turn_detached: z.object({ task: z.string(), foreground: z.string() }),
  turn_ended: z.object({
    turn: z.string(),
    outcome: TurnOutcome,
    message: z.string().optional(),
    usage: Usage.optional(),
    error: Fault.optional(),
    /** As of `step_aborted`, when the answer broke off for another reason, and will not be given anew. */
    said: LongText.optional(),
  }),

  step_started: z.object({ turn: z.string(), step: z.string(), attempt: z.number(), model: z.string() }),
  step_completed: z.object({
    step: z.string(),
    attempt: z.number(),
    message: z.array(Piece),
    /** Which was asked; facts of older servers leave that to `step_started`. */
    model: z.string().optional(),
    usage: Usage.optional(),
    /** Why it ended, when not because it was whole; `other` is what only the provider knows. */
    finish: z.enum(["length", "filter", "other"]).optional(),
  }),
  step_aborted: z.object({
    step: z.string(),
    attempt: z.number(),
    reason: z.string(),
    error: Fault.optional(),
    retryAt: z.string().optional(),
    /** What this attempt and the wait until `retryAt` take of the time for which a failure is retried. */
    triedMs: z.number().optional(),
    /** What was said of an answer that a person stopped: so that the model knows it when it goes on. */
    said: LongText.optional(),
  }),

  tool_proposed: z.object({
    step: z.string(),
    call: z.string(),
    name: z.string(),
    args: z.unknown(),
    effect: Effect,
  }),
  /** `trace` is what the tool will know its own effect by, if it is asked again after a crash. */
  tool_started: z.object({ call: z.string(), process: z.string().optional(), trace: z.unknown().optional() }),
  tool_finished: z.object({
    call: z.string(),
    status: ToolStatus,
    result: LongText,
    exit: z.number().nullable().optional(),
  }),

  ask_opened: z.object({
    ask: z.string(),
    kind: AskKind,
    title: z.string(),
    call: z.string().optional(),
    digest: z.string().optional(),
    command: z.string().optional(),
    cwd: z.string().optional(),
    /** What else there is to judge by; asks of older servers have none. */
    details: z.array(AskDetail).optional(),
    choices: z.array(Choice).optional(),
    multiple: z.boolean().optional(),
    expires: z.string().optional(),
  }),
  ask_answered: z.object({
    ask: z.string(),
    kind: AskKind,
    answer: z.object({
      choice: z.string().optional(),
      text: z.string().optional(),
      values: z.array(z.string()).optional(),
    }),
  }),
  ask_closed: z.object({ ask: z.string(), kind: AskKind, reason: z.enum(["expired", "withdrawn"]) }),

  compaction_started: z.object({ covers: z.string() }),
  context_compacted: z.object({
    summary: LongText,
    covers: z.string(),
    method: z.enum(["model", "fallback"]),
    /** Which gave the summary. */
    model: z.string().optional(),
    /** Of the summary. */
    usage: Usage.optional(),
  }),
  compaction_failed: z.object({ reason: z.string(), retryAt: z.string().optional() }),

  process_started: z.object({
    process: z.string(),
    command: z.string(),
    cwd: z.string(),
    call: z.string().optional(),
    background: z.boolean(),
  }),
  process_exited: z.object({ process: z.string(), exit: z.number().nullable(), cause: z.string() }),
  process_lost: z.object({ process: z.string() }),
  process_stale: z.object({ process: z.string() }),
  process_stopped: z.object({ process: z.string(), exit: z.number().nullable() }),

  delegated: z.object({ session: z.string(), call: z.string(), background: z.boolean() }),
  delegate_returned: z.object({
    session: z.string(),
    call: z.string(),
    outcome: TurnOutcome,
    summary: LongText,
  }),
  task_linked: z.object({ task: z.string(), title: z.string() }),
  task_finished: z.object({ task: z.string(), outcome: z.string(), summary: LongText }),

  executor_lost: z.object({ epoch: z.number() }),
  /** Holdfast itself failed over the session several times in a row: nobody goes on before something is sent to it. */
  executor_gave_up: z.object({ epoch: z.number(), reason: z.string() }),
  executor_recovered: z.object({ epoch: z.number(), takeover: z.number() }),
  notice: z.object({ level: z.enum(["info", "warn", "error"]), text: z.string() }),
} as const;

/**
 * Text on its way. `part` is `<owner>/<n>`: the owner is the step's attempt (`<step>.<attempt>`) or the call, and
 * the fact of that owner carries the whole. `offset` counts UTF-16 units, so `text.length` is where the next begins.
 */
export const draftData = z.object({
  part: z.string(),
  kind: z.enum(["text", "reasoning", "args", "output"]),
  offset: z.number(),
  text: z.string(),
});

export type FactType = keyof typeof factData;
export type FactData<T extends FactType> = z.infer<(typeof factData)[T]>;
export type DraftData = z.infer<typeof draftData>;

/** What a writer hands to `append`: the store adds position, time and author. */
export type NewFact = { [T in FactType]: { type: T; data: FactData<T> } }[FactType];
export type NewDraft = { type: "draft"; data: DraftData };
export type NewEvent = NewFact | NewDraft;

type Stamp = { position: Position; at: string; by: By };
export type Fact = Stamp & NewFact;
export type Draft = Stamp & NewDraft;
export type Event = Fact | Draft;

/** As it comes from a log: perhaps of a type that a newer version wrote, which is kept and skipped. */
export type AnyEvent = Stamp & { type: string; data: unknown };
