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

/** A call in a line: its name and the argument that says it, with what else there is behind that. */
export function toolWords({ name, args }: Pick<ToolPart, "name" | "args">): string {
  const line = visibleLine(`${name} ${argsWords(name, args)}`.trimEnd());
  return line.length > ARGS_CHARS ? `${line.slice(0, ARGS_CHARS)}…` : line;
}

/** What says it, and what is too long for a line or shown otherwise. */
const TOOLS: Record<string, { main: string; left?: readonly string[] }> = {
  shell: { main: "command" },
  read: { main: "path" },
  write: { main: "path", left: ["text"] },
  edit: { main: "path", left: ["old", "new"] },
  search: { main: "pattern" },
  ask: { main: "question", left: ["choices", "multiple"] },
  delegate: { main: "prompt" },
};

function argsWords(name: string, args: unknown): string {
  if (typeof args !== "object" || args === null) return args == null ? "" : JSON.stringify(args);
  const { main, left = [] } = TOOLS[name] ?? {};
  const entries = Object.entries(args);
  const [key, said] = entries.find(([each]) => each === main) ?? (entries.length === 1 ? entries[0]! : []);
  if (key === undefined || typeof said !== "string") return JSON.stringify(args);
  const more = entries.filter(([each]) => each !== key && !left.includes(each));
  const words = more.map(([each, value]) => `${each}: ${JSON.stringify(value)}`);
  return words.length === 0 ? said : `${said} (${words.join(", ")})`;
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
