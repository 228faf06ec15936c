// Finding and making the parts of a step's message.
import { attemptOf } from "./draft.ts";
import type { LongText, Piece } from "./event.ts";
import {
  PREVIEW_CHARS,
  type Message,
  type Part,
  type StepMessage,
  type ToolPart,
  type View,
} from "./view.ts";

export type Step = Extract<Message, { kind: "step" }>;

/** From the end: what changes is nearly always the last. */
export function stepOf(view: View, attempt: string): Step | undefined {
  return view.messages.findLast(
    (message): message is Step => message.kind === "step" && message.id === attempt,
  );
}

export function toolOf(view: View, call: string): { message: Step; part: ToolPart } | undefined {
  for (let i = view.messages.length - 1; i >= 0; i--) {
    const message = view.messages[i];
    if (message?.kind !== "step") continue;
    const part = message.parts.find(
      (candidate): candidate is ToolPart => candidate.kind === "tool" && candidate.call === call,
    );
    if (part) return { message, part };
  }
  return undefined;
}

/** The whole message as its fact has it, whatever was drafted of it. */
export function partsOf(step: string, attempt: number, pieces: readonly Piece[]): Part[] {
  return pieces.flatMap((piece, n): Part[] => {
    const id = `${attemptOf(step, attempt)}/${n}`;
    switch (piece.type) {
      case "text":
        return [{ id, kind: piece.type, text: textOf(piece.text), blob: blobOf(piece.text), ms: null }];
      case "reasoning":
        return [
          {
            id,
            kind: piece.type,
            text: textOf(piece.text),
            blob: blobOf(piece.text),
            ms: piece.ms ?? null,
          },
        ];
      case "call":
        return [
          { ...newToolPart(id), call: piece.call, name: piece.name, args: piece.args, state: "called" },
        ];
      case "custom":
        return []; // the provider's own affair
    }
  });
}

/** Of an answer that was stopped, where its drafts are not: copies that older versions made have none. */
export function saidParts(attempt: string, said: LongText): Part[] {
  return [{ id: `${attempt}/0`, kind: "text", text: textOf(said), blob: blobOf(said), ms: null }];
}

export function newToolPart(id: string): ToolPart {
  return {
    id,
    kind: "tool",
    call: "",
    name: "",
    args: null,
    draft: "",
    draftChars: 0,
    effect: null,
    state: "drafting",
    status: null,
    result: "",
    resultChars: 0,
    blob: null,
    exit: null,
    process: null,
    delegate: null,
    trace: null,
    answer: null,
    asked: null,
    startedAt: null,
    endedAt: null,
  };
}

export function textOf(text: LongText): string {
  return typeof text === "string" ? text : text.preview;
}

export function blobOf(text: LongText): string | null {
  return typeof text === "string" ? null : text.blob;
}

/** How it begins, never cut inside a surrogate pair. */
export function preview(text: string, chars = PREVIEW_CHARS): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? chars - 1 : chars);
}

/** The same shape with its long strings cut: what a finished call's row needs to show. */
export function cutStrings(value: unknown): unknown {
  if (typeof value === "string") return preview(value);
  if (Array.isArray(value)) return value.slice(0, 100).map(cutStrings);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutStrings(inner)]));
}

export function stepMessage(
  step: Omit<StepMessage, "kind" | "state" | "reason" | "retryAt" | "finish" | "parts" | "usage" | "endedAt">,
): StepMessage {
  return {
    kind: "step",
    ...step,
    state: "streaming",
    reason: null,
    retryAt: null,
    finish: null,
    parts: [],
    usage: null,
    endedAt: null,
  };
}
