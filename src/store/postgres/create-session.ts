import type { By, NewEvent } from "../../session/event.ts";
import { formatPosition } from "../../session/position.ts";
import { changedRow, EMPTY_ROW, type RowState } from "../../session/row.ts";
import { prepareBatch } from "../batch.ts";
import { ROW_COLUMNS } from "../session-row.ts";
import type { Command, Created, LogId, LogKind, NewSession, Origin, SessionRow, Store } from "../store.ts";
import { titleWords } from "../words.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import type { Transaction } from "./database.ts";
import { readSession } from "./read-sessions.ts";
import { HOUR_MS } from "./session-status.ts";
import { FIRST_REV, insertLog, writeEvents } from "./write-events.ts";

export async function createLog(
  { database, asides, clock, changed }: Context,
  id: LogId,
  kind: LogKind,
  events: NewEvent[],
  author: By,
): Promise<Awaited<ReturnType<Store["createLog"]>>> {
  const whole = await asides.of(events);
  const batch = prepareBatch(events, new Date(clock()).toISOString(), author, whole);
  const end = { seq: batch.facts, sub: batch.drafts, closed: batch.ends !== undefined };
  const created = await database.transaction(async (transaction) => {
    if (!(await insertLog(transaction, id, kind, end))) return false;
    await writeEvents(transaction, id, batch);
    return true;
  });
  if (!created) return { ok: false, code: "exists" };
  changed(id, FIRST_REV);
  return { ok: true, position: formatPosition(end.seq, end.sub) };
}

export async function createSession(
  { database, asides, clock, changed }: Context,
  session: NewSession,
  author: By,
  command?: Command,
): Promise<Created> {
  const at = clock();
  const { id, first = [], ...data } = session;
  const batch = prepareBatch(
    [{ type: "session_created", data }, ...first],
    new Date(at).toISOString(),
    author,
    await asides.of(first),
  );
  const end = { seq: batch.facts, sub: batch.drafts, closed: batch.ends !== undefined };
  const row = batch.change ? changedRow(EMPTY_ROW, batch.change) : EMPTY_ROW;
  const created = await database.transaction(
    async (transaction) => {
      const isOriginThere = await holdOrigin(transaction, session);
      return once<Created>(transaction, command, async () => {
        if (!isOriginThere) return { ok: false, code: "origin_gone" };
        if (!(await insertLog(transaction, id, "session", end))) return { ok: false, code: "exists" };
        await insertSession(transaction, { ...session, row, at });
        await writeEvents(transaction, id, batch);
        return { ok: true, session: await madeSession(transaction, id, personOf(author)) };
      });
    },
    { repeatable: command !== undefined },
  );
  if (created.ok && !created.replayed) changed(id, FIRST_REV);
  return created;
}

/** Whether it is there; then it stays until this one is, and a deletion waits, and takes this one with it. */
async function holdOrigin(transaction: Transaction, { origin }: NewSession): Promise<boolean> {
  if (origin?.kind !== "delegation") return true;
  const found = await transaction.query({
    text: "select from log where id = $1 for key share",
    values: [origin.session],
  });
  return found.length > 0;
}

export async function insertSession(
  transaction: Transaction,
  session: {
    id: string;
    profile: string;
    workspace?: string | null;
    lane?: string | null;
    origin?: Origin | null;
    row: RowState;
    at: number;
  },
): Promise<void> {
  const { id, profile, workspace = null, lane = null, origin, row, at } = session;
  const state = (Object.keys(ROW_COLUMNS) as (keyof RowState)[]).map(
    (name) => [ROW_COLUMNS[name], row[name]] as const,
  );
  const columns = [
    ...state,
    ...([
      ["id", id],
      ["profile", profile],
      ["workspace", workspace],
      ["lane", lane],
      ["origin_kind", origin?.kind ?? null],
      ["origin_session", origin?.session ?? null],
      ["origin_at", origin?.at ?? null],
      ["created_at", at],
      ["updated_at", at],
      ["updated_hour", Math.floor(at / HOUR_MS)],
      ["title_words", titleWords(row.title)],
    ] as const),
  ];
  await transaction.query({
    text: `insert into session (${columns.map(([name]) => name).join(", ")})
      values (${columns.map((_, n) => `$${n + 1}`).join(", ")})`,
    values: columns.map(([, value]) => value),
  });
  // It shares the directory of the session that it came of, so it works where that works.
  if (origin)
    await transaction.query({
      text: "update session set host = (select host from session where id = $2) where id = $1",
      values: [id, origin.session],
    });
}

export async function madeSession(transaction: Transaction, id: string, person: string): Promise<SessionRow> {
  const session = await readSession(transaction, id, person);
  if (!session) throw new Error(`session ${id} is missing from its own transaction`);
  return session;
}

/** Whose unread count the answer carries. */
export function personOf(author: By): string {
  return "person" in author ? author.person : "owner";
}
