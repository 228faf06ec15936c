// The demo model: a script that needs no key and no network, yet really calls tools, so that a newcomer sees everything
// work. It says that it is a demo wherever it speaks. What it says depends on the context alone: after a crash the same
// step says the same, and goes on where it was.
import type { Delta, StepRequest, StepResult, WholePiece } from "../../driver.ts";
import { momentOf } from "./moment.ts";
import { linesFor } from "./repertoire.ts";
import type { Line } from "./scene.ts";

/** Waits for the time of one token, or until the signal. */
export type Pace = (signal: AbortSignal) => Promise<void>;

const LABEL = "**Demo** · ";

export async function demoStep(
  request: StepRequest,
  said: (delta: Delta) => void,
  signal: AbortSignal,
  pace: Pace,
): Promise<StepResult> {
  const message = labelled(linesFor(momentOf(request))).map((line, n) =>
    pieceOf(line, `${request.step}-${n}`),
  );
  let tokens = 0;
  for (const [piece, { kind, text, name }] of message.map(spoken).entries()) {
    for (const [n, token] of tokensOf(text).entries()) {
      await pace(signal);
      if (signal.aborted) return { outcome: "stopped" };
      said({ piece, kind, text: token, ...(n === 0 && name !== undefined && { name }) });
      tokens += 1;
    }
  }
  return {
    outcome: "completed",
    message,
    usage: { inputTokens: tokensIn(request), outputTokens: tokens },
    finish: message.some(({ type }) => type === "call") ? "tools" : "stop",
  };
}

/** Each step says it, once: any of them may be all that a person sees. */
function labelled(lines: readonly Line[]): Line[] {
  const first = lines.findIndex(({ type }) => type === "text");
  return lines.map((line, n) =>
    n === first && line.type === "text" ? { ...line, text: LABEL + line.text } : line,
  );
}

function pieceOf(line: Line, call: string): WholePiece {
  return line.type === "call" ? { ...line, call } : line;
}

function spoken(piece: WholePiece): { kind: Delta["kind"]; text: string; name?: string } {
  switch (piece.type) {
    case "text":
    case "reasoning":
      return { kind: piece.type, text: piece.text };
    case "call":
      return { kind: "args", text: JSON.stringify(piece.args), name: piece.name };
    case "custom":
      return { kind: "text", text: "" };
  }
}

function tokensOf(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? [];
}

/** Four characters a token, as everywhere where nobody counts better. */
function tokensIn({ instructions, context }: StepRequest): number {
  const chars = context.reduce((sum, message) => {
    if (message.role === "person") return sum + message.text.length;
    if (message.role === "tool") return sum + message.result.length;
    return sum + JSON.stringify(message.pieces).length;
  }, instructions.length);
  return Math.ceil(chars / 4);
}
