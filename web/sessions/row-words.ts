// The second line of a row: what the session does now, or how it came to rest. Where the tab follows the session, its
// view knows more than the row.
import type { SessionRow } from "../../src/protocol/http.ts";
import type { Part, View } from "../../src/session/view.ts";
import { purposeOf } from "../session/tool-words.ts";
import { statusWords } from "../status-words.ts";
import { lastWords } from "../toasts/news.ts";

export function rowWords(row: SessionRow, view: View | undefined, delegates: number, now: number): string {
  const { status, attention, messages } = row;
  if (attention?.kind === "approval") return askWords(view) ?? statusWords(row, now);
  if (attention?.kind === "question") return view?.asks[0]?.title ?? statusWords(row, now);
  switch (status) {
    case "running": {
      const doing = delegates > 0 ? agentWords(delegates) : doingWords(view);
      return row.queued > 0 ? `${doing} · ${row.queued} queued` : doing;
    }
    case "waiting": {
      const reason = view?.messages.findLast(({ kind }) => kind === "step");
      const why = reason?.kind === "step" ? (reason.reason ?? "") : "";
      return [statusWords(row, now), row.retryAt === null ? "" : why]
        .filter((part) => part !== "")
        .join(" · ");
    }
    case "idle": {
      if (attention?.kind === "failed") {
        const why = lastWords(view);
        return why === "" ? "failed" : `failed: ${why}`;
      }
      if (delegates > 0) return agentWords(delegates);
      if (row.queued > 0) return statusWords(row, now);
      // It has the title of what it was forked from.
      const fork = row.origin?.kind === "fork" ? "fork · " : "";
      return messages === 0 ? "nothing said yet" : fork + counted(messages, "message");
    }
    case "recovering":
    case "queued":
    case "ended":
      return statusWords(row, now);
  }
}

function askWords(view: View | undefined): string | undefined {
  const ask = view?.asks.find(({ kind }) => kind === "approval");
  if (!ask) return undefined;
  return ask.command === undefined ? `wants ${ask.title}` : `wants to run ${oneLine(ask.command)}`;
}

/** The newest call that runs, else what is being written. */
function doingWords(view: View | undefined): string {
  if (!view) return "running";
  if (view.compacting) return "compacting its context";
  const step = view.messages.findLast(({ kind }) => kind === "step");
  if (step?.kind !== "step" || step.turn !== view.turn?.id) return "starting";
  const call = step.parts.findLast((part) => part.kind === "tool" && part.state === "started");
  if (call?.kind === "tool") return `${call.name} ${purposeOf(call)}`.trim();
  return partWords(step.parts.at(-1));
}

function partWords(part: Part | undefined): string {
  if (part?.kind === "tool") return part.name === "" ? "preparing a call" : `preparing ${part.name}`;
  return part?.kind === "text" ? "writing" : "thinking";
}

function agentWords(count: number): string {
  return `${counted(count, "agent")} at work`;
}

export function counted(n: number, noun: string): string {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

const LINE_CHARS = 200;

function oneLine(text: string): string {
  return text.slice(0, LINE_CHARS).replaceAll(/\s+/g, " ").trim();
}
