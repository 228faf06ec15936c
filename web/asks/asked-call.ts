// What an ask is about, as its session's log has it: the tool, what it was given, and what was said just before.
import { toolOf } from "../../src/session/parts.ts";
import type { View } from "../../src/session/view.ts";

export type AskedCall = {
  tool: string;
  args: unknown;
  /** The agent's own words before the call; empty when it gave none. */
  why: string;
  profile: string;
};

/** Undefined when the view no longer holds the call. */
export function askedCall(view: View, call: string | null): AskedCall | undefined {
  const found = call === null ? undefined : toolOf(view, call);
  if (!found) return undefined;
  const { message, part } = found;
  const before = message.parts.slice(0, message.parts.indexOf(part));
  const why = before.flatMap(({ kind, ...said }) => (kind === "text" && "text" in said ? [said.text] : []));
  return { tool: part.name, args: part.args, why: why.join("\n\n").trim(), profile: view.meta.profile };
}

/** A field at a time, without what the card shows already: text as it is, everything else as JSON. */
export function otherArguments(args: unknown, shown: readonly (string | null)[]): [string, string][] {
  if (args === null || args === undefined) return [];
  if (typeof args !== "object") return [["arguments", JSON.stringify(args)]];
  return Object.entries(args).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== "string") return [[name, JSON.stringify(value, null, 1) ?? ""]];
    return shown.includes(value) ? [] : [[name, value]];
  });
}
