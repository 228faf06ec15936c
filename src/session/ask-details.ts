// What a call was given, as whoever is to approve it sees it: an argument at a time, text as it is, all else as JSON.
import type { AskDetail } from "./event.ts";
import { preview } from "./parts.ts";

/** Of each; a list of asks has many of them. */
const DETAIL_MAX_CHARS = 20_000;

/** Without what the ask shows already. */
export function askDetails(args: unknown, shown: readonly (string | null)[]): AskDetail[] {
  return argumentsOf(args, shown).map(([name, text]) =>
    text.length <= DETAIL_MAX_CHARS
      ? { name, text }
      : { name, text: preview(text, DETAIL_MAX_CHARS), bytes: bytesOf(text) },
  );
}

export function argumentsOf(
  args: unknown,
  shown: readonly (string | null)[],
): [name: string, text: string][] {
  if (args === null || args === undefined) return [];
  if (typeof args !== "object") return [["arguments", JSON.stringify(args)]];
  return Object.entries(args).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== "string") return [[name, JSON.stringify(value, null, 1) ?? ""]];
    return shown.includes(value) ? [] : [[name, value]];
  });
}

/** Of the whole, however much of it is there. */
export function detailBytes({ text, bytes }: AskDetail): number {
  return bytes ?? bytesOf(text);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
