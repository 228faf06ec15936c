// What is left out of a context that no longer fits, and what stands in its place. Pure: the plan is the same for whoever
// makes it, so a crash in between changes nothing.
//
// What was said last is kept as it is; what came before becomes a summary. A call and its result stay together, the last
// person's input is always told in full, and how it all began is quoted.
import { isInput, type Context, type ContextEntry } from "./context.ts";
import type { LongText } from "./event.ts";
import { preview, textOf } from "./parts.ts";
import type { Position } from "./position.ts";
import type { View } from "./view.ts";

export type Plan = {
  /** Everything up to here is no longer told. */
  covers: Position;
  covered: readonly ContextEntry[];
};

/** Undefined when nothing can be left out. */
export function planCompaction(context: Context, contextTokens: number): Plan | undefined {
  const { entries } = context;
  const room = roomFor(entries, contextTokens);
  let tail = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  const open = new Set<string>();
  for (const [n, entry] of entries.entries()) {
    tail -= sizeOf(entry);
    if (entry.role === "tool") open.delete(entry.call);
    if (entry.role === "agent")
      for (const piece of entry.pieces) if (piece.type === "call") open.add(piece.call);
    if (open.size > 0 || tail > room || entry.position <= context.covers) continue;
    const covered = entries.slice(0, n + 1);
    const kept = entries.slice(n + 1).some(isInput) ? undefined : covered.findLast(isInput);
    if (covered.some((each) => each !== kept && each.position > context.covers))
      return { covers: entry.position, covered };
  }
  return undefined;
}

/** Whether this step was tried with a shorter context already: a second time would be no better. */
export function wasCompactedFor({ messages, compacted }: View, step: string): boolean {
  const first = messages.find((message) => message.kind === "step" && message.step === step);
  return first !== undefined && compacted !== null && compacted.at > first.position;
}

/** Of a text that stands for what was left out: a quarter of what there was, and of what the model can take. */
export function roomFor(entries: readonly ContextEntry[], contextTokens: number): number {
  const chars = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  return Math.floor(Math.min(chars, contextTokens * CHARS_PER_TOKEN) / 4);
}

/** For a model to summarise, or to stand for itself: old results are cut first, then all else, then the middle. */
export function transcriptOf(entries: readonly ContextEntry[], maxChars: number): string {
  for (const cut of CUTS) {
    const text = entries.map((entry) => linesOf(entry, cut)).join("\n\n");
    if (text.length <= maxChars) return text;
  }
  const text = entries.map((entry) => linesOf(entry, CUTS.at(-1)!)).join("\n\n");
  const half = Math.max(0, Math.floor((maxChars - GAP.length) / 2));
  return `${preview(text, half)}${GAP}${half === 0 ? "" : text.slice(-half)}`;
}

export const SUMMARY_INSTRUCTIONS =
  "You are the agent of the session below. Its earlier part no longer fits into your context and will be replaced by what you write now. " +
  "Write for yourself: what was asked for and decided, what was done and with what result, which files, commands, names and numbers matter, what is still to do. " +
  "Be brief and exact. Do not answer or go on with the work.";

/** What the model is told instead of what was left out. */
export function summaryText(
  { covered }: Plan,
  { head, entries }: Context,
  method: "model" | "fallback",
  body: string,
): string {
  const kept = entries.findLast(isInput);
  const began =
    head === null || head.position === kept?.position
      ? []
      : [`It began with this:\n${preview(textOf(head.text), HEAD_CHARS)}`];
  const said =
    method === "model" ? "Your own summary of it:" : "An extract of it, since no summary could be made:";
  return [
    `[Holdfast] The earlier part of this session (${covered.length} messages) no longer fits and is left out.`,
    ...began,
    `${said}\n${body}`,
    "From here on all is told as it was said.",
  ].join("\n\n");
}

export function sizeOf(entry: ContextEntry): number {
  switch (entry.role) {
    case "person":
      return lengthOf(entry.text) + entry.attachments.length * ATTACHMENT_CHARS;
    case "agent":
      return entry.pieces.reduce((sum, piece) => {
        if (piece.type === "text" || piece.type === "reasoning") return sum + lengthOf(piece.text);
        return sum + (JSON.stringify(piece.type === "call" ? piece.args : piece.value)?.length ?? 0);
      }, 0);
    case "tool":
      return lengthOf(entry.result);
  }
}

const CHARS_PER_TOKEN = 4;
const HEAD_CHARS = 4_000;
/** What an image or a document costs, give or take: its bytes say nothing about it. */
const ATTACHMENT_CHARS = 6_000;
const GAP = "\n\n[…]\n\n";

type Cut = { results: number; rest: number };
const CUTS: readonly Cut[] = [
  { results: 4_000, rest: Infinity },
  { results: 1_000, rest: Infinity },
  { results: 200, rest: 4_000 },
  { results: 100, rest: 500 },
];

function linesOf(entry: ContextEntry, { results, rest }: Cut): string {
  switch (entry.role) {
    case "person":
      return `${entry.kind === "input" ? "Person" : "Holdfast"}: ${cut(textOf(entry.text), rest)}`;
    case "agent":
      return entry.pieces
        .flatMap((piece) => {
          if (piece.type === "text") return [`Agent: ${cut(textOf(piece.text), rest)}`];
          if (piece.type === "call")
            return [
              `Agent calls ${piece.name}: ${cut(JSON.stringify(piece.args) ?? "", Math.min(rest, results))}`,
            ];
          return []; // what it thought is not told again
        })
        .join("\n");
    case "tool":
      return `Result of ${entry.name} (${entry.status}): ${cut(textOf(entry.result), results)}`;
  }
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${preview(text, chars)}…`;
}

function lengthOf(text: LongText): number {
  return typeof text === "string" ? text.length : text.bytes;
}
