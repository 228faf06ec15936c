// What a session looks like now: the fold of its log, bounded, the same in the page, the CLI and the executor.
import type { Attachment, By, DelegateResult, FactData, LongText, Usage } from "./event.ts";
import type { Finish } from "./finish-words.ts";
import { START, type Position } from "./position.ts";
import { NO_USAGE } from "./usage.ts";

export type View = {
  /** Of the last event that was applied. */
  position: Position;
  meta: Meta;
  /** The newest MESSAGES_MAX, oldest first, within VIEW_MAX_CHARS. */
  messages: Message[];
  /** How many came before those. */
  earlier: number;
  /** What the messages' facts weigh; text that is still a draft does not count, since it may be swept. */
  chars: number;
  /** Of the whole log. */
  counts: { messages: number; tools: number };
  turn: Turn | null;
  /** The last turn failed, and nothing was tried since. */
  failed: boolean;
  /** Inputs that no turn has taken yet, in their order. */
  queue: QueuedInput[];
  held: boolean;
  asks: OpenAsk[];
  processes: ViewProcess[];
  delegates: Delegate[];
  rules: FactData<"rule_added">[];
  usage: Usage;
  /** Where the model's context begins anew, with what. */
  compacted: { at: Position; covers: string; summary: LongText } | null;
  compacting: boolean;
  ended: { reason: string; successor: string | null; at: string } | null;
};

export type Meta = {
  title: string | null;
  profile: string;
  workspace: string | null;
  lane: string | null;
  model: string | null;
  createdAt: string;
  origin: NonNullable<FactData<"session_created">["origin"]> | null;
  forkedFrom: { session: string; at: string } | null;
  continues: string | null;
};

/** A row of the transcript. Ids are unique within a session and never change. */
export type Message = { id: string; position: Position; at: string } & (
  | {
      kind: "input";
      input: "prompt" | "steer";
      text: LongText;
      by: By;
      attachments: Attachment[];
      turn: string | null;
      /** Of an input that is a delegate's result. */
      delegate?: DelegateResult;
    }
  | StepMessage
  | {
      kind: "turn_end";
      turn: string;
      outcome: "completed" | "failed" | "stopped";
      message: string | null;
      error: NonNullable<FactData<"turn_ended">["error"]> | null;
      usage: Usage;
      startedAt: string | null;
    }
  | {
      kind: "divider";
      divider: "compacted" | "forked" | "imported" | "ended" | "recovered" | "detached" | "retried";
      text: string;
    }
  | { kind: "notice"; level: "info" | "warn" | "error"; text: string }
  | { kind: "task"; task: string; title: string; outcome: string | null; summary: LongText | null }
);

/** One attempt of a step; an interrupted one stays, greyed, with the words it had. */
export type StepMessage = {
  kind: "step";
  turn: string | null;
  step: string;
  attempt: number;
  model: string;
  state: "streaming" | "completed" | "aborted";
  reason: string | null;
  retryAt: string | null;
  /** Why its answer ended, when not because it was whole. */
  finish: Finish | null;
  parts: Part[];
  usage: Usage | null;
  endedAt: string | null;
};

export type Part = TextPart | ToolPart;

export type TextPart = {
  id: string;
  kind: "text" | "reasoning";
  text: string;
  /** Where the whole lies when `text` is only how it begins. */
  blob: string | null;
  /** How long it took, where that was measured. */
  ms: number | null;
};

export type ToolPart = {
  id: string;
  kind: "tool";
  call: string;
  name: string;
  /** Whole from the step's completion until the call has finished, then with its long strings cut. */
  args: unknown;
  effect: "read" | "idempotent" | "unsafe" | null;
  state: "drafting" | "called" | "proposed" | "started" | "finished";
  status: FactData<"tool_finished">["status"] | null;
  /** The last PREVIEW_CHARS of what is being streamed: of its arguments, then of what it says while it runs. */
  draft: string;
  draftChars: number;
  /** The first PREVIEW_CHARS of its result. */
  result: string;
  resultChars: number;
  blob: string | null;
  exit: number | null;
  process: string | null;
  /** The session that does it, when it was delegated. */
  delegate: string | null;
  trace: unknown;
  /** What a person said to the ask that held this call. */
  answer: FactData<"ask_answered">["answer"] | null;
  /** What that ask was about, as it says itself: it answers for nothing else. */
  asked: string | null;
  startedAt: string | null;
  endedAt: string | null;
};

export type Turn = {
  id: string;
  inputs: string[];
  startedAt: string;
  stopRequested: boolean;
  usage: Usage;
  /** Model calls that were begun, without their further attempts. */
  steps: number;
  retryAt: string | null;
  /** How long the present step has been retried; while nobody could try, it does not grow. */
  triedMs: number;
  recovering: boolean;
  /** How often another executor took over the present step. */
  takeovers: number;
};

export type QueuedInput = {
  input: string;
  kind: "prompt" | "steer";
  text: LongText;
  delivery: "queue" | "now";
  attachments: Attachment[];
  delegate?: DelegateResult;
  by: By;
  at: string;
  /** Where its present text stands in the log. */
  position: Position;
};

export type OpenAsk = FactData<"ask_opened"> & { openedAt: string; position: Position };
export type ViewProcess = FactData<"process_started"> & { startedAt: string; stale: boolean };
export type Delegate = { session: string; call: string; background: boolean; at: string };

export const MESSAGES_MAX = 50;
export const VIEW_MAX_CHARS = 512 * 1024;
export const PREVIEW_CHARS = 4096;

export function emptyView(): View {
  return {
    position: START,
    meta: {
      title: null,
      profile: "",
      workspace: null,
      lane: null,
      model: null,
      createdAt: "",
      origin: null,
      forkedFrom: null,
      continues: null,
    },
    messages: [],
    earlier: 0,
    chars: 0,
    counts: { messages: 0, tools: 0 },
    turn: null,
    failed: false,
    queue: [],
    held: false,
    asks: [],
    processes: [],
    delegates: [],
    rules: [],
    usage: { ...NO_USAGE },
    compacted: null,
    compacting: false,
    ended: null,
  };
}
