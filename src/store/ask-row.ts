// An ask's row, the same in both databases: the fact that opened it and what closed it are kept as JSON, since nothing
// is looked up by what is in them.
import type { AskChange, AskClosed, AskOpened, AskState } from "../session/asks.ts";
import type { AskRow } from "./store.ts";

export type AskRecord = {
  id: string;
  session: string;
  state: string;
  opened: string;
  closed: string | null;
};

/** What to write for a change: `opened` is null when the row is there already. */
export type AskColumns = { id: string; state: AskState; opened: string | null; closed: string | null };

export function askColumns({ ask, opened, closed }: AskChange): AskColumns {
  return {
    id: ask,
    state: closed?.state ?? "open",
    opened: opened ? JSON.stringify(opened) : null,
    closed: closed ? JSON.stringify(closed) : null,
  };
}

export function askRow({ id, session, opened, closed }: AskRecord): AskRow {
  const about = JSON.parse(opened) as AskOpened; // both as askColumns wrote them
  const end = closed === null ? undefined : (JSON.parse(closed) as AskClosed);
  return {
    id,
    session,
    kind: about.kind,
    title: about.title,
    call: about.call ?? null,
    command: about.command ?? null,
    cwd: about.cwd ?? null,
    ...(about.details && { details: about.details }),
    digest: about.digest ?? null,
    choices: about.choices ?? [],
    multiple: about.multiple ?? false,
    expires: about.expires ?? null,
    openedAt: about.openedAt,
    state: end?.state ?? "open",
    answer: end?.answer ?? null,
    closedBy: end?.closedBy ?? null,
    closedAt: end?.closedAt ?? null,
  };
}
