// What came while someone was away, in a sentence.
import { MISSED_MAX } from "../../src/session/row.ts";
import type { News } from "../state/away.ts";

/** Undefined when nothing of it is left, as when all asks have been answered. A phone has room for the short of it. */
export function awayWords({ how, messages, tools, asks }: News, isBrief = false): string | undefined {
  const approvals = asks.filter(({ kind }) => kind === "approval").length;
  const came = [
    ...count(messages, "message"),
    ...count(tools, "tool call"),
    ...count(approvals, "approval"),
    ...count(asks.length - approvals, "question"),
  ].join(", ");
  if (came === "") return undefined;
  if (isBrief) return `New: ${came}`;
  return how === "reconnected" ? `Reconnected: ${came} while you were away` : `While you were away: ${came}`;
}

function count(n: number, what: string): string[] {
  if (n === 0) return [];
  // The server counts no further.
  const figure = n >= MISSED_MAX ? `${MISSED_MAX.toLocaleString("en")}+` : n.toLocaleString("en");
  return [`${figure} ${what}${n === 1 ? "" : "s"}`];
}
