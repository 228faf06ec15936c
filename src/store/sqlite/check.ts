// Reads everything and names what is damaged: SQLite's own check finds broken trees, but hardly a flipped bit in a
// text, which only the event's checksum shows. Whatever can't be read is named and passed by: the rest is checked too.
import { formatPosition } from "../../session/position.ts";
import { isIntact } from "../event-text.ts";
import type { LogId, Store } from "../store.ts";
import type { Database } from "./database.ts";
import { readEnd } from "./logs.ts";
import { readAll, reasonOf, type StoredEvent } from "./read-all.ts";

export type Report = Awaited<ReturnType<Store["check"]>>;

const FOUND_MAX = 1_000;

export function check(database: Database): Report {
  const report: Report = { events: 0, damaged: [], problems: [] };
  for (const part of [checkTrees, checkEvents, checkRows]) {
    try {
      part(database, report);
    } catch (error) {
      report.problems.push(`a part of the file can't be read: ${reasonOf(error)}`);
    }
  }
  report.problems.length = Math.min(report.problems.length, FOUND_MAX);
  return report;
}

/** By their keys. Where their own table can't be read, that of the sessions still knows most of them. */
export function readLogs(database: Database): Map<number, LogId> {
  try {
    return new Map(database.tuples<[number, LogId]>("select key, id from log"));
  } catch (error) {
    reasonOf(error); // anything but damage is thrown on
    try {
      return new Map(database.tuples<[number, LogId]>("select log, id from session"));
    } catch (again) {
      reasonOf(again);
      return new Map();
    }
  }
}

function checkTrees(database: Database, report: Report): void {
  for (const [fault] of database.tuples<[string]>("pragma integrity_check(100)"))
    if (fault !== "ok") report.problems.push(fault);
}

function checkEvents(database: Database, report: Report): void {
  const logs = readLogs(database);
  const leaving = readLeaving(database);
  const lastSeqs = new Map<number, number>();
  const torn = new Set<number>();
  let holes = 0;
  for (const part of readAll(database)) {
    if (Array.isArray(part)) for (const event of part) checkEvent(event);
    else if (++holes <= FOUND_MAX) report.problems.push(`events can't be read: ${part.reason}`);
  }
  if (holes === 0) return;
  if (report.events === 0)
    report.problems.push(
      "not one event can be read any more: put a backup in its place with holdfast restore",
    );
  for (const [key, log] of logs)
    if (!leaving.has(key) && !torn.has(key) && isCutOff(database, key, lastSeqs.get(key) ?? 0))
      damage(log, lastSeqs.get(key) ?? 0);

  function checkEvent([, key, seq, sub, crc, text]: StoredEvent): void {
    if (leaving.has(key)) return;
    report.events += 1;
    const log = logs.get(key);
    const position = formatPosition(seq, sub);
    if (log === undefined) report.problems.push(`event ${position} belongs to no log (${key})`);
    else if (!isIntact(position, text, crc) && report.damaged.length < FOUND_MAX)
      report.damaged.push({ log, position });
    const last = lastSeqs.get(key) ?? 0;
    lastSeqs.set(key, seq);
    if (seq === last + (sub === 0 ? 1 : 0) || torn.has(key)) return;
    torn.add(key);
    if (holes > 0 && log !== undefined) damage(log, last);
    else report.problems.push(`${log ?? key}: ${position} follows fact ${last}`);
  }

  /** Of what a hole has swallowed only its beginning is known. */
  function damage(log: LogId, last: number): void {
    if (report.damaged.length < FOUND_MAX)
      report.damaged.push({ log, position: formatPosition(last + 1, 0) });
  }
}

function readLeaving(database: Database): ReadonlySet<number> {
  try {
    return new Set(database.tuples<[number]>("select log from purge").map(([log]) => log));
  } catch (error) {
    reasonOf(error);
    return new Set();
  }
}

/** Whether the log went on behind what could be read; where not even that can be found out, it is taken to. */
function isCutOff(database: Database, key: number, last: number): boolean {
  try {
    return readEnd(database, key).seq > last;
  } catch (error) {
    reasonOf(error);
    return true;
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
