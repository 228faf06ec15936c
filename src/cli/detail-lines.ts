// What a call that waits for an approval was given, to its last byte: a line of its own for what is short, all else marked
// line by line, so that nothing in it can pass for ours.
import { detailBytes } from "../session/ask-details.ts";
import type { AskDetail } from "../session/event.ts";
import { exact, visibleLine } from "./visible.ts";

const SHORT_CHARS = 100;

export function detailLines(details: readonly AskDetail[]): string[] {
  return details.flatMap((detail) => {
    const { text, bytes } = detail;
    const name = visibleLine(detail.name);
    if (bytes === undefined && text.length <= SHORT_CHARS && !text.includes("\n"))
      return [`${name}: ${exact(text)}`];
    const lines = exact(text)
      .split("\n")
      .map((line) => `| ${line}`);
    const rest = bytes === undefined ? [] : ["… the rest is in the session"];
    return [`${name}, ${detailBytes(detail).toLocaleString("en")} bytes:`, ...lines, ...rest];
  });
}
