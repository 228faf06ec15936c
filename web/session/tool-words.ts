// What a call is for and how it went, in the few words that a row has.
import type { ToolPart } from "../../src/session/view.ts";

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

export function purposeOf({ name, args, state, draftChars }: ToolPart): string {
  if (state === "drafting")
    return draftChars > 0 ? `being written, ${draftChars} characters` : "being written";
  if (args === null || typeof args !== "object") return args === null ? "" : JSON.stringify(args);
  const fields = args as Record<string, unknown>;
  const telling = fields[TELLING[name] ?? ""];
  const text =
    typeof telling === "string"
      ? telling
      : (Object.values(fields).find((value) => typeof value === "string") ?? "");
  return text.replaceAll(/\s+/g, " ").trim().slice(0, PURPOSE_CHARS);
}

/** `words` may be empty where the row's sign says it all; `spoken` never is. */
export type Outcome = {
  kind: "pending" | "running" | "ok" | "bad" | "unknown";
  words: string;
  spoken: string;
};

export function outcomeOf({ state, status, exit }: ToolPart): Outcome {
  if (state === "started") return outcome("running", "running");
  if (state !== "finished") return outcome("pending", "", "not started yet");
  const exited = exit === null ? "" : `exit ${exit}`;
  switch (status) {
    case "ok":
      return outcome(exit === null || exit === 0 ? "ok" : "bad", exited, exited || "done");
    case "error":
      return outcome("bad", exited || "failed");
    case "denied":
      return outcome("bad", "denied");
    case "stopped":
      return outcome("bad", "stopped");
    case "unknown":
    case null:
      return outcome("unknown", "outcome unknown");
  }
}

function outcome(kind: Outcome["kind"], words: string, spoken = words): Outcome {
  return { kind, words, spoken };
}

/** All that was asked, a field at a time: text as it is, everything else as JSON. */
export function argumentsOf({ args }: ToolPart): [name: string, value: string][] {
  if (args === null || typeof args !== "object") return [];
  return Object.entries(args).map(([name, value]) => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? ""),
  ]);
}

export function tailOf(text: string, lines: number): string {
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
