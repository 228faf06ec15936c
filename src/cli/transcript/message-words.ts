// Parts of the transcript in words.
import type { By, DelegateResult, LongText, Usage } from "../../session/event.ts";
import type { Message, ToolPart } from "../../session/view.ts";
import { visible, visibleLine } from "../visible.ts";
import { count, duration } from "../words.ts";

const RESULT_LINES = 12;
const ARGS_CHARS = 200;

export function delegateWords({ session, outcome }: DelegateResult): string {
  const how = { completed: "", failed: ", which failed", stopped: ", which was stopped" }[outcome];
  return `result of ${visibleLine(session)}${how}`;
}

export function nameOf(by: By): string {
  if ("person" in by) return visibleLine(by.person);
  return "executor" in by ? "executor" : visibleLine(by.keeper);
}

export function longText(text: LongText): string {
  return typeof text === "string" ? text : `${text.preview}\n… (${count(text.bytes, "byte")} in all)`;
}

export function indented(text: string): string {
  return visible(text).trimEnd().replaceAll(/^/gm, "  ");
}

/** The one argument that says it, else all of them. */
export function argsWords(args: unknown): string {
  if (args === null || args === undefined) return "";
  const values = typeof args === "object" ? Object.values(args) : [args];
  const [only] = values;
  const text = values.length === 1 && typeof only === "string" ? only : JSON.stringify(args);
  const line = visibleLine(text);
  return line.length > ARGS_CHARS ? `${line.slice(0, ARGS_CHARS)}…` : line;
}

/** A command's own words, and below them what Holdfast says about its end. */
export function splitResult(result: string): { said: string; added: string } {
  const added = ADDED.exec(result)?.[0] ?? "";
  return { said: result.slice(0, result.length - added.length), added: added.slice(1) };
}

const ADDED =
  /(?:\n\[(?:exit \d|it left running: |the command was lost|stopped by a person|ended with its turn)[^\n]*\])+$/;

/** How a result begins. */
export function resultWords(result: string): string {
  const lines = visible(result).trimEnd().split("\n");
  const rest = lines.length - RESULT_LINES;
  return [...lines.slice(0, RESULT_LINES), ...(rest > 0 ? [`… ${count(rest, "more line")}`] : [])].join("\n");
}

/** Tokens always; money only where a price is known, and then also how much is not in it. */
export function usageWords({ inputTokens, outputTokens, cost, unpricedTokens = 0 }: Usage): string[] {
  if (inputTokens + outputTokens === 0) return [];
  const tokens = `${inputTokens.toLocaleString("en")} in, ${outputTokens.toLocaleString("en")} out`;
  if (cost === undefined) return [tokens];
  const unpriced = unpricedTokens > 0 ? [`${unpricedTokens.toLocaleString("en")} without a price`] : [];
  return [tokens, money(cost), ...unpriced];
}

export function money(dollars: number): string {
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

export function dividerWords(
  divider: Extract<Message, { kind: "divider" }>["divider"],
  text: string,
): string {
  switch (divider) {
    case "compacted":
      return "the context was compacted";
    case "forked":
      return `forked from ${text}`;
    case "imported":
      return text === "" ? "imported" : `imported from ${text}`;
    case "ended":
      return `ended: ${text}`;
    case "recovered":
      return "recovered: the work goes on";
    case "detached":
      return `detached as ${text}`;
    case "retried":
      return text === "" ? "tried again" : `tried again by ${text}`;
  }
}

/** `✓ 3.2 s`, `✗ error · exit 1 · 3.2 s` */
export function endWords({ status, exit, startedAt, endedAt }: ToolPart): string {
  const words = status === "ok" ? [] : [status ?? ""];
  if (exit !== null && exit !== 0) words.push(`exit ${exit}`);
  if (startedAt !== null && endedAt !== null)
    words.push(duration(Date.parse(endedAt) - Date.parse(startedAt)));
  return `${status === "ok" ? "✓" : "✗"} ${words.join(" · ")}`.trimEnd();
}
