import type { By } from "../../session/event.ts";
import { formatPosition } from "../../session/position.ts";
import type { RowState } from "../../session/row.ts";
import { ROW_COLUMNS } from "../session-row.ts";
import type { Command, Created, LogId, LogKind, NewSession, Origin, Store } from "../store.ts";
import { keepBlobs } from "./blob.ts";
import { once } from "./command.ts";
import type { Value } from "./database.ts";
import type { LogState } from "./logs.ts";
import { keepFiles } from "./named-files.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { readSession } from "./read-sessions.ts";
import { writeEvents } from "./write-events.ts";
import type { Writing } from "./writing.ts";

export function createLog(
  writing: Writing,
  id: LogId,
  kind: LogKind,
  batch: PackedBatch,
): Awaited<ReturnType<Store["createLog"]>> {
  const log = insertLog(writing, id, kind);
  if (!log) return { ok: false, code: "exists" };
  writeEvents(writing, log, batch);
  return { ok: true, position: formatPosition(log.seq, log.sub) };
}

export function createSession(
  writing: Writing,
  session: Omit<NewSession, "first">,
  row: RowState,
  batch: PackedBatch,
  kept: { blobs: readonly string[]; files: readonly string[] },
  person: string,
  now: number,
  command: Command | undefined,
): Created {
  return once<Created>(writing, command, now, () => {
    const { origin } = session;
    if (origin?.kind === "delegation" && !writing.logs.find(origin.session))
      return { ok: false, code: "origin_gone" };
    const log = insertLog(writing, session.id, "session");
    if (!log) return { ok: false, code: "exists" };
    insertSession(writing, log, { ...session, row, now });
    keepBlobs(writing, log.key, kept.blobs);
    keepFiles(writing, log.key, kept.files, now);
    writeEvents(writing, log, batch);
    return { ok: true, session: madeSession(writing, session.id, person) };
  });
}

/** Undefined when the id is taken. */
export function insertLog(
  { database, logs }: Writing,
  id: LogId,
  kind: LogKind,
  key?: number,
): LogState | undefined {
  const made = database.changes(
    "insert or ignore into log (key, id, kind) values (?, ?, ?)",
    key ?? null,
    id,
    kind,
  );
  return made === 0 ? undefined : logs.find(id);
}

export type SessionColumns = Pick<NewSession, "id" | "profile" | "workspace" | "lane"> & {
  origin?: Origin;
  row: RowState;
  now: number;
};

export function insertSession({ database }: Writing, { key }: LogState, session: SessionColumns): void {
  const { id, profile, workspace, lane, origin, row, now } = session;
  const state = (Object.keys(ROW_COLUMNS) as (keyof RowState)[]).map((name): [string, Value] => {
    const value = row[name];
    return [ROW_COLUMNS[name], typeof value === "boolean" ? Number(value) : value];
  });
  const columns: [string, Value][] = [
    ...state,
    ["log", key],
    ["id", id],
    ["lineage", id],
    ["profile", profile],
    ["workspace", workspace ?? null],
    ["lane", lane ?? null],
    ["origin_kind", origin?.kind ?? null],
    ["origin_session", origin?.session ?? null],
    ["origin_at", origin?.at ?? null],
    ["created_at", now],
    ["updated_at", now],
  ];
  database.run(
    `insert into session (${columns.map(([name]) => name).join(", ")}) values (${columns.map(() => "?").join(", ")})`,
    ...columns.map(([, value]) => value),
  );
  // It shares the directory of the session that it came of, so it works where that works.
  if (origin)
    database.run(
      "update session set host = (select host from session where id = ?) where id = ?",
      origin.session,
      id,
    );
}

export function madeSession({ database }: Writing, id: string, person: string) {
  const session = readSession(database, id, person);
  if (!session) throw new Error(`session ${id} is missing from its own transaction`);
  return session;
}

/** Whose unread count the answer carries. */
export function personOf(author: By): string {
  return "person" in author ? author.person : "owner";
}
