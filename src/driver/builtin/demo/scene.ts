// What a scene of the demo is made of.
import type { Moment } from "./moment.ts";

export type Line =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "call"; name: string; args: Record<string, unknown> };

export type Scene = {
  /** What a person may write to see it, and what they will see; without it the scene is no beginning. */
  invitation?: readonly [write: string, see: string];
  hears: RegExp;
  needs: readonly string[];
  /** In order: each sees the results of the one before; one that calls nothing is the last. */
  steps: readonly ((moment: Moment) => Line[])[];
  /** It wants to see a call fail; else a failure ends the scene with a word about it. */
  wantsErrors?: true;
};

export function say(...paragraphs: string[]): Line {
  return { type: "text", text: paragraphs.join("\n\n") };
}

export function think(text: string): Line {
  return { type: "reasoning", text };
}

export function call(name: string, args: Record<string, unknown>): Line {
  return { type: "call", name, args };
}

/** Of the last step, in the order of its calls. */
export function resultOf(moment: Moment, nth = 0): string {
  return moment.results[nth]?.result.trim() ?? "";
}

export function quoted(text: string, mostLines = 12): string {
  const lines = text.trim().split("\n");
  const shown = lines.slice(0, mostLines).map((line) => `> ${line.slice(0, 200)}`);
  if (lines.length > mostLines) shown.push(`> … and ${lines.length - mostLines} more lines`);
  return shown.join("\n");
}
