// A session's view, folded from its newest snapshot on, and the snapshots themselves: droppable, since the log alone
// is enough.
import { formatPosition, seqOf, type Position } from "../../session/position.ts";
import type { View } from "../../session/view.ts";
import { foldView, SNAPSHOT_VERSION } from "../fold.ts";
import { SNAPSHOT_FACTS, type Snapshot } from "../store.ts";
import type { Database } from "./database.ts";
import { readEvents, readHead } from "./read-events.ts";

export async function readView(database: Database, id: string): Promise<View | undefined> {
  const head = await readHead(database, id);
  if (head?.kind !== "session") return undefined;
  const from = await readSnapshot(database, id);
  return foldView({ log: id, read: (after, limit) => readEvents(database, id, after, limit), from });
}

export async function readSnapshot(database: Database, id: string): Promise<Snapshot | undefined> {
  const [snapshot] = await database.query<{ seq: number; sub: number; view: string }>({
    name: "snapshot",
    text: "select seq, sub, view from snapshot where log = $1 and version = $2",
    values: [id, SNAPSHOT_VERSION],
  });
  if (!snapshot) return undefined;
  const view = JSON.parse(snapshot.view) as View; // as we wrote it, in this very version
  return { position: formatPosition(snapshot.seq, snapshot.sub), view };
}

/** Whether appending from `before` to `after` passed a point at which a snapshot is due. */
export function isSnapshotDue(before: number, after: number): boolean {
  return Math.floor(before / SNAPSHOT_FACTS) < Math.floor(after / SNAPSHOT_FACTS);
}

export async function makeSnapshot(database: Database, id: string): Promise<void> {
  const view = await readView(database, id);
  if (!view) return;
  await database.query({
    text: `insert into snapshot (log, seq, sub, version, view) select $1, $2, $3, $4, $5 where exists (select from log where id = $1)
      on conflict (log) do update set seq = $2, sub = $3, version = $4, view = $5
      where snapshot.version < $4 or (snapshot.seq, snapshot.sub) < ($2, $3)`,
    values: [id, seqOf(view.position), subOf(view.position), SNAPSHOT_VERSION, JSON.stringify(view)],
  });
}

export async function dropSnapshots(database: Database, id: string): Promise<void> {
  await database.query({ text: "delete from snapshot where log = $1", values: [id] });
}

function subOf(position: Position): number {
  return Number(position.slice(17));
}
