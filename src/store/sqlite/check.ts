// Reads everything and names what is damaged: SQLite's own check finds broken trees, but hardly a flipped bit in a
// text, which only the event's checksum shows.
import { formatPosition } from "../../session/position.ts";
import { isIntact } from "../event-text.ts";
import { StorageError, type LogId, type Store } from "../store.ts";
import type { Database } from "./database.ts";

export type Report = Awaited<ReturnType<Store["check"]>>;

const PAGE_EVENTS = 200;
const FOUND_MAX = 1_000;

export function check(database: Database): Report {
  const report: Report = { events: 0, damaged: [], problems: [] };
  for (const part of [checkTrees, checkEvents, checkRows]) {
    try {
      part(database, report);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      report.problems.push(error.message); // it can't be read any further, and that is what was asked
    }
  }
  report.problems.length = Math.min(report.problems.length, FOUND_MAX);
  return report;
}

function checkTrees(database: Database, report: Report): void {
  for (const [fault] of database.tuples<[string]>("pragma integrity_check(100)"))
    if (fault !== "ok") report.problems.push(fault);
}

/** In the order of writing, which is also the order of each log. */
function checkEvents(database: Database, report: Report): void {
  const logs = new Map(database.tuples<[number, LogId]>("select key, id from log"));
  const leaving = new Set(database.tuples<[number]>("select log from purge").map(([log]) => log));
  const lastSeqs = new Map<number, number>();
  let after = 0;
  while (true) {
    const events = database.tuples<[number, number, number, number, number, string]>(
      `select id, log, seq, sub, crc, text from event where id > ? order by id limit ${PAGE_EVENTS}`,
      after,
    );
    for (const [id, key, seq, sub, crc, text] of events) {
      after = id;
      if (leaving.has(key)) continue;
      report.events += 1;
      const log = logs.get(key);
      const position = formatPosition(seq, sub);
      if (log === undefined) report.problems.push(`event ${position} belongs to no log (${key})`);
      else if (!isIntact(position, text, crc) && report.damaged.length < FOUND_MAX)
        report.damaged.push({ log, position });
      const last = lastSeqs.get(key) ?? 0;
      if (seq !== last + (sub === 0 ? 1 : 0))
        report.problems.push(`${log ?? key}: ${position} follows fact ${last}`);
      lastSeqs.set(key, seq);
    }
    if (events.length < PAGE_EVENTS) return;
  }
}

function checkRows(database: Database, report: Report): void {
  for (const sql of PROBLEMS)
    for (const [problem] of database.tuples<[string]>(`${sql} limit ${FOUND_MAX}`))
      report.problems.push(problem);
}

const PROBLEMS = [
  "select 'session ' || id || ' has no log' from session where not exists (select 1 from log where log.key = session.log)",
  `select 'log ' || id || ' has no session' from log
    where kind = 'session' and not exists (select 1 from session where session.log = log.key)`,
  `select 'file ' || id || ' has lost its bytes' from file
    where bytes <> coalesce((select sum(length(chunk.bytes)) from chunk where chunk.blob = file.blob), 0)`,
];
