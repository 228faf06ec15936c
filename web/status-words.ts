// One word for each state, the same in the list, in the pane's head and for a screen reader.
import type { SessionRow } from "../src/protocol/http.ts";
import { attentionOf, isGivenUp, statusOf, type Status } from "../src/session/row.ts";
import type { View } from "../src/session/view.ts";
import { clockTime } from "./time-words.ts";

export type Standing = Pick<SessionRow, "status" | "attention" | "queued" | "retryAt">;

export function statusWords({ status, attention, queued, retryAt }: Standing, now: number): string {
  switch (status) {
    case "running":
      return queued > 0 ? `running · ${queued} queued` : "running";
    case "waiting":
      if (attention?.kind === "approval") return "wants an approval";
      if (attention?.kind === "question") return "asks you something";
      return retryAt === null ? "waiting" : `retrying at ${clockTime(retryAt, now)}`;
    case "recovering":
      return "recovering";
    case "queued": {
      const waiting = queued === 1 ? "queued" : `${queued} queued`;
      return attention?.kind === "failed" ? `failed · ${waiting}` : waiting;
    }
    case "ended":
      return "ended";
    case "idle":
      if (attention?.kind === "failed") return "failed";
      return queued > 0 ? `idle · ${queued} held` : "idle";
  }
}

/** What leads a row: the ring while it works, a badge when a person is needed, a dot for news. */
export type Mark =
  | "approval"
  | "question"
  | "failed"
  | "running"
  | "recovering"
  | "queued"
  | "unread"
  | "none";

export function markOf(row: Standing & { unread: number }): Mark {
  if (row.attention) return row.attention.kind;
  const status: Status = row.status;
  if (status === "running" || status === "recovering" || status === "queued") return status;
  if (status === "waiting") return "running";
  return row.unread > 0 ? "unread" : "none";
}

/** The pane folds ahead of the list, so it says what its own view says. */
export function standingOf(view: View): Standing {
  const approvals = view.asks.filter(({ kind }) => kind === "approval").length;
  const questions = view.asks.length - approvals;
  const queued = view.queue.length;
  const retryAt = view.turn?.retryAt ?? null;
  const attention = attentionOf({ approvals, questions, failed: view.failed });
  const status = statusOf({
    ended: view.ended !== null,
    turn: view.turn?.id ?? null,
    recovering: view.turn?.recovering ?? false,
    held: view.held,
    approvals,
    questions,
    queued,
    retryAt,
  });
  return {
    status: isGivenUp(status, attention) ? "idle" : status,
    attention,
    queued,
    retryAt,
  };
}
