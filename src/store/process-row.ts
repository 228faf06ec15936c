// A process's row and what is asked of it, the same in both databases: the fact that began it and the one that ended it are
// kept as JSON, since nothing is looked up by what is in them.
import type { ProcessChange, ProcessEnded, ProcessStarted, ProcessStatus } from "../session/processes.ts";
import type { ProcessRequest, ProcessRow } from "./store.ts";

export type ProcessRecord = {
  id: string;
  session: string;
  host: string | null;
  started: string;
  ended: string | null;
};

/** What to write for a change: `started` is null when the row is there already. */
export type ProcessColumns = {
  id: string;
  status: ProcessStatus;
  startedAt: number | null;
  started: string | null;
  ended: string | null;
};

export function processColumns({ process, started, ended }: ProcessChange): ProcessColumns {
  return {
    id: process,
    status: ended?.status ?? "running",
    startedAt: started ? Date.parse(started.startedAt) : null,
    started: started ? JSON.stringify(started) : null,
    ended: ended ? JSON.stringify(ended) : null,
  };
}

export function processRow({ id, session, host, started, ended }: ProcessRecord): ProcessRow {
  const begin = JSON.parse(started) as ProcessStarted; // both as processColumns wrote them
  const end = ended === null ? undefined : (JSON.parse(ended) as ProcessEnded);
  return {
    id,
    session,
    host,
    command: begin.command,
    cwd: begin.cwd,
    call: begin.call ?? null,
    background: begin.background,
    status: end?.status ?? "running",
    startedAt: begin.startedAt,
    endedAt: end?.endedAt ?? null,
    exit: end?.exit ?? null,
    cause: end?.cause ?? null,
  };
}

export type RequestRecord = { id: string; process: string; wish: string; outcome: string | null };

export function processRequest({ id, process, wish, outcome }: RequestRecord): ProcessRequest {
  return { id, process, wish: JSON.parse(wish) as ProcessRequest["wish"], outcome }; // as requestProcess wrote it
}
