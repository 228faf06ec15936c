// What the model is told: a second fold of the same log. It keeps all since the last compaction, where the view keeps
// only what a person sees at once; long texts stay references until the moment of the call.
import type { AnyEvent, Attachment, Fact, FactData, LongText, Piece } from "./event.ts";
import { START, type Position } from "./position.ts";

export type Context = {
  entries: ContextEntry[];
  /** Inputs that were admitted and not delivered yet. */
  waiting: Map<string, { text: LongText; attachments: readonly Attachment[] }>;
  /** How the session began. */
  head: { position: Position; text: LongText } | null;
  /** Up to where a summary stands for what was said. */
  covers: Position;
  /** Names of calls whose result is still to come. */
  calls: Map<string, string>;
  /** The last answer stopped at its length limit, which is told behind the results of its calls. */
  cut: boolean;
};

export type ContextEntry = { position: Position } & (
  | {
      role: "person";
      /** What somebody sent; or what Holdfast tells, of itself or of what was left out. */
      kind: "input" | "note" | "summary";
      text: LongText;
      attachments: readonly Attachment[];
    }
  | { role: "agent"; pieces: readonly Piece[] }
  | {
      role: "tool";
      call: string;
      name: string;
      status: FactData<"tool_finished">["status"];
      result: LongText;
    }
);

export function emptyContext(): Context {
  return { entries: [], waiting: new Map(), head: null, covers: START, calls: new Map(), cut: false };
}

export function isInput(entry: ContextEntry): boolean {
  return entry.role === "person" && entry.kind === "input";
}

export function applyContext(context: Context, event: AnyEvent): void {
  const fact = event as Fact; // drafts and unknown types match no case
  const { position } = fact;
  switch (fact.type) {
    case "input_admitted":
    case "input_edited":
      context.waiting.set(fact.data.input, {
        text: fact.data.text,
        attachments: fact.data.attachments ?? [],
      });
      return;
    case "input_withdrawn":
      context.waiting.delete(fact.data.input);
      return;
    case "input_delivered": {
      const input = context.waiting.get(fact.data.input);
      context.waiting.delete(fact.data.input);
      if (!input) return;
      context.head ??= { position, text: input.text };
      context.entries.push({ position, role: "person", kind: "input", ...input });
      return;
    }
    case "step_completed":
      context.entries.push({ position, role: "agent", pieces: fact.data.message });
      for (const piece of fact.data.message)
        if (piece.type === "call") context.calls.set(piece.call, piece.name);
      context.cut = fact.data.finish === "length";
      tellCut(context, position);
      return;
    case "step_aborted":
    case "turn_ended": {
      const { said, error } = fact.data;
      if (said === undefined) return; // it is answered anew
      context.entries.push({ position, role: "agent", pieces: [{ type: "text", text: said }] });
      const why = error
        ? `This answer broke off here: ${error.message}`
        : "A person stopped this answer here.";
      note(context, position, why);
      return;
    }
    case "tool_finished": {
      const name = context.calls.get(fact.data.call);
      if (name === undefined) return; // of a step that was never completed: the model did not ask for it
      context.calls.delete(fact.data.call);
      const { call, status, result } = fact.data;
      context.entries.push({ position, role: "tool", call, name, status, result });
      tellCut(context, position);
      return;
    }
    case "task_linked":
      note(
        context,
        position,
        `The work so far goes on by itself as the task "${fact.data.title}" (${fact.data.task}).`,
      );
      return;
    case "task_finished":
      note(context, position, `The task ${fact.data.task} ended: ${fact.data.outcome}.`);
      context.entries.push({
        position,
        role: "person",
        kind: "note",
        text: fact.data.summary,
        attachments: [],
      });
      return;
    case "context_compacted": {
      const { summary } = fact.data;
      const covers = fact.data.covers as Position; // of an entry, as the plan took it
      const tail = context.entries.filter((entry) => entry.position > covers);
      const kept = tail.some(isInput) ? [] : context.entries.filter(isInput).slice(-1);
      context.covers = covers;
      context.entries = [
        { position: covers, role: "person", kind: "summary", text: summary, attachments: [] },
        ...kept,
        ...tail,
      ];
      return;
    }
    default:
      return; // the rest is for people, or for the executor itself
  }
}

/** A model does not know it of itself, and would take what it left out for said. */
function tellCut(context: Context, position: Position): void {
  if (!context.cut || context.calls.size > 0) return;
  context.cut = false;
  note(context, position, "The answer above stopped at its length limit.");
}

function note(context: Context, position: Position, text: string): void {
  context.entries.push({
    position,
    role: "person",
    kind: "note",
    text: `[Holdfast] ${text}`,
    attachments: [],
  });
}
