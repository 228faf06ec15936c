// A file that no server holds, looked at without changing it: for doctor, also when it is too damaged to be opened as a
// store. What can be saved of its logs is written out in one pass, whatever else is broken.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatPosition } from "../../session/position.ts";
import { isIntact } from "../event-text.ts";
import { check, readLogs, type Report } from "./check.ts";
import { openReader, type Database } from "./database.ts";
import { takeOwnership } from "./owner.ts";
import { readAll, reasonOf, type StoredEvent } from "./read-all.ts";

export type Rescued = { log: string; file: string; events: number };
export type Inspection = Report & { store: string | null; rescued: Rescued[] };

/** With `rescueTo` the longest good prefix of each damaged log is written there; of every log if the file is in doubt. */
export function inspectSqlite(file: string, rescueTo: string | undefined): Inspection {
  const letGo = takeOwnership(file, { pid: process.pid, url: null });
  try {
    const database = open(file);
    if ("reason" in database) return nothingIn(file, database.reason);
    try {
      const report = check(database);
      const damaged = new Set(report.damaged.map(({ log }) => log));
      const isWanted = (log: string) => report.problems.length > 0 || damaged.has(log);
      const rescued = rescueTo === undefined ? [] : rescue(database, rescueTo, isWanted);
      return { ...report, store: readStoreId(database), rescued };
    } finally {
      database.close();
    }
  } finally {
    letGo();
  }
}

function open(file: string): Database | { reason: string } {
  try {
    return openReader(file);
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

function nothingIn(file: string, reason: string): Inspection {
  const problem = `nothing of ${file} can be read (${reason}): put a backup in its place with holdfast restore`;
  return { events: 0, damaged: [], problems: [problem], store: null, rescued: [] };
}

function rescue(database: Database, folder: string, isWanted: (log: string) => boolean): Rescued[] {
  mkdirSync(folder, { recursive: true });
  const names = readLogs(database);
  const prefixes = new Map<number, Prefix>();
  for (const [key, log] of names) if (isWanted(log)) begin(key, log);
  for (const part of readAll(database)) {
    if (!Array.isArray(part)) continue; // check has named it
    const lines = new Map<Prefix, string>();
    for (const event of part) {
      const [, key, , , , text] = event;
      const prefix = prefixes.get(key) ?? (names.has(key) ? undefined : begin(key, `log-${key}`));
      if (prefix && goesOn(prefix, event)) lines.set(prefix, `${lines.get(prefix) ?? ""}${text}\n`);
    }
    for (const [{ file }, text] of lines) appendFileSync(file, text);
  }
  return [...prefixes.values()].map(({ log, file, events }) => ({ log, file, events }));

  function begin(key: number, log: string): Prefix {
    const prefix = { log, file: join(folder, `${log}.jsonl`), events: 0, lastSeq: 0, isOver: false };
    writeFileSync(prefix.file, "", { mode: 0o600 });
    prefixes.set(key, prefix);
    return prefix;
  }
}

type Prefix = Rescued & { lastSeq: number; isOver: boolean };

/** Up to the first event that is damaged or missing. */
function goesOn(prefix: Prefix, [, , seq, sub, crc, text]: StoredEvent): boolean {
  const follows = seq === prefix.lastSeq + (sub === 0 ? 1 : 0);
  prefix.isOver ||= !follows || !isIntact(formatPosition(seq, sub), text, crc);
  if (prefix.isOver) return false;
  prefix.events += 1;
  prefix.lastSeq = seq;
  return true;
}

function readStoreId(database: Database): string | null {
  try {
    return database.tuple<[string]>("select value from meta where name = 'store'")?.[0] ?? null;
  } catch (error) {
    reasonOf(error);
    return null;
  }
}
