// What a call is for and how it went, in the few words that a row has.
import type { ToolPart } from "../../src/session/view.ts";
import { visible } from "../visible.ts";

const PURPOSE_CHARS = 240;
/** The argument that says most, by tool; others show the first text they have. */
const TELLING: Record<string, string> = {
  shell: "command",
  read: "path",
  write: "path",
  edit: "path",
  search: "pattern",
  ask: "question",
  delegate: "prompt",
  process: "action",
  task: "action",
};

/** Our own tools are words; those of others keep the names they have. */
export function nameOf({ name }: ToolPart): string {
  if (name === "") return "Tool";
  return Object.hasOwn(TELLING, name) ? name.slice(0, 1).toUpperCase() + name.slice(1) : visible(name);
}

export function purposeOf(part: ToolPart): string {
  const { state, draftChars } = part;
  if (state === "drafting")
    return draftChars > 0 ? `being written, ${draftChars} characters` : "being written";
  return visible(tellingOf(part).replaceAll(/\s+/g, " ").trim().slice(0, PURPOSE_CHARS));
}

function tellingOf({ name, args }: ToolPart): string {
  if (args === null || typeof args !== "object") return args === null ? "" : JSON.stringify(args);
  const fields = args as Record<string, unknown>;
  const telling = fields[TELLING[name] ?? ""];
  const text =
    typeof telling === "string"
      ? telling
      : (Object.values(fields).find((value) => typeof value === "string") ?? "");
  switch (name) {
    case "read":
      return text + linesRead(fields);
    case "search":
      return typeof fields["path"] === "string" ? `${text} in ${fields["path"]}` : text;
    case "process":
      return typeof fields["process"] === "string" ? `${text} ${fields["process"]}` : text;
    default:
      return text;
  }
}

function linesRead({ offset, limit }: Record<string, unknown>): string {
  if (typeof offset !== "number") return typeof limit === "number" ? `:1–${limit}` : "";
  return typeof limit === "number" ? `:${offset}–${offset + limit - 1}` : `:${offset}–`;
}

/** `words` may be empty where the row's sign says it all; `spoken` never is. */
export type Outcome = {
  kind: "pending" | "running" | "ok" | "bad" | "unknown";
  words: string;
  spoken: string;
};

export function outcomeOf(part: ToolPart): Outcome {
  const { state, status, exit } = part;
  if (state === "started") return outcome("running", "running");
  if (state !== "finished") return outcome("pending", "", "not started yet");
  const exited = exit === null ? "" : `exit ${exit}`;
  switch (status) {
    case "ok":
      if (isLeftRunning(part)) return outcome("ok", "in the background", "started in the background");
      return outcome(exit === null || exit === 0 ? "ok" : "bad", exited, exited || "done");
    case "error":
      return outcome("bad", exited || "failed");
    case "denied":
      return outcome("bad", deniedWords(part));
    case "stopped":
      return outcome("bad", "stopped");
    case "unknown":
    case null:
      return outcome("unknown", "outcome unknown");
  }
}

/** Its result says only that it began: what it does goes on beside the turn. */
function isLeftRunning({ args }: ToolPart): boolean {
  return args !== null && typeof args === "object" && "background" in args && args.background === true;
}

/** With the word that the person gave it. */
function deniedWords({ answer }: ToolPart): string {
  return answer?.text ? `denied: “${visible(answer.text)}”` : "denied";
}

function outcome(kind: Outcome["kind"], words: string, spoken = words): Outcome {
  return { kind, words, spoken };
}

/** All that was asked, a field at a time: text as it is, everything else as JSON. */
export function argumentsOf(args: unknown): [name: string, value: string][] {
  if (args === null || typeof args !== "object") return [];
  return Object.entries(args).map(([name, value]) => [
    visible(name),
    visible(typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? "")),
  ]);
}

export function textArgument(args: unknown, name: string): string {
  if (args === null || typeof args !== "object" || !Object.hasOwn(args, name)) return "";
  const value = (args as Record<string, unknown>)[name];
  return typeof value === "string" ? value : "";
}

export function tailOf(text: string, lines: number): string {
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
