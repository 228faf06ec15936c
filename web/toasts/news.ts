// What is worth a word when it happens out of sight.
import type { SessionRow } from "../../src/protocol/http.ts";
import type { View } from "../../src/session/view.ts";

export type Ending = "finished" | "failed" | "stopped";

/** How the work of a session ended between two rows of it; undefined when it did not. The view, if at hand, knows of stops. */
export function endingOf(
  before: Pick<SessionRow, "status"> | undefined,
  now: Pick<SessionRow, "status" | "attention" | "origin">,
  view?: View,
): Ending | undefined {
  if (!before || !isAtWork(before.status) || isAtWork(now.status)) return undefined;
  if (now.origin?.kind === "delegation") return undefined; // told to whoever it works for
  if (now.attention?.kind === "failed") return "failed";
  const end = view?.messages.findLast(({ kind }) => kind === "turn_end");
  return end?.kind === "turn_end" && end.outcome === "stopped" ? "stopped" : "finished";
}

export function isAtWork(status: SessionRow["status"]): boolean {
  return status !== "idle" && status !== "ended";
}

const WORDS_CHARS = 160;

/** The last thing that was said, or why it went wrong. */
export function lastWords(view: View | undefined): string {
  const last = view?.messages.findLast(
    (message) => message.kind === "turn_end" || (message.kind === "notice" && message.level === "error"),
  );
  if (last?.kind === "notice") return last.text.slice(0, WORDS_CHARS);
  if (last?.kind === "turn_end" && last.error) return last.error.message.slice(0, WORDS_CHARS);
  const step = view?.messages.findLast(({ kind }) => kind === "step");
  const texts = step?.kind === "step" ? step.parts.filter(({ kind }) => kind === "text") : [];
  const text = texts.at(-1);
  return text?.kind === "text" ? plainWords(text.text).slice(0, WORDS_CHARS) : "";
}

/** On one line, without the signs that only mean something as Markdown. */
function plainWords(markdown: string): string {
  return markdown
    .replaceAll(/^[ \t]*(?:(?:>|#{1,6}|[-*+])[ \t]+)+/gm, "")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
