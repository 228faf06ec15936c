// A session's view, folded from its newest snapshot on, and the snapshots themselves: droppable, since the log alone
// is enough.
import { formatPosition, seqOf, subOf } from "../../session/position.ts";
import { foldLog, SNAPSHOT_VERSION, type Folded } from "../fold.ts";
import { packView, unpackView } from "../packed-view.ts";
import type { Snapshot } from "../store.ts";
import type { Database, Queryable } from "./database.ts";
import { readEvents, readHead } from "./read-events.ts";
import { textArray } from "./wire.ts";

export async function readView(database: Database, id: string): Promise<Folded | undefined> {
  const head = await readHead(database, id);
  if (head?.kind !== "session") return undefined;
  const from = await readSnapshot(database, id);
  return foldLog({ log: id, read: (after, limit) => readEvents(database, id, after, limit), from });
}

export async function readSnapshot(database: Queryable, id: string): Promise<Snapshot | undefined> {
  const [snapshot] = await readSnapshots(database, [id]);
  return snapshot;
}

/** In the order of the ids. */
export async function readSnapshots(
  database: Queryable,
  ids: readonly string[],
): Promise<(Snapshot | undefined)[]> {
  const found = await database.query<Stored>({
    name: "snapshots",
    text: "select log, seq, sub, crc, view from snapshot where log = any($1::text[]) and version = $2",
    values: [textArray(ids), SNAPSHOT_VERSION],
  });
  const ofLog = new Map(found.map((snapshot) => [snapshot.log, snapshot]));
  return ids.map((id) => intact(ofLog.get(id)));
}

type Stored = { log: string; seq: number; sub: number; crc: number; view: Uint8Array };

function intact(snapshot: Stored | undefined): Snapshot | undefined {
  const view = snapshot && unpackView({ bytes: snapshot.view, crc: snapshot.crc });
  return view && { position: formatPosition(snapshot.seq, snapshot.sub), view };
}

export async function makeSnapshot(database: Database, id: string): Promise<void> {
  const folded = await readView(database, id);
  if (!folded) return;
  const { view } = folded;
  const { bytes, crc } = packView(view);
  await database.query({
    text: `with noted as (update log set snapshot_seq = greatest(snapshot_seq, $2::bigint) where id = $1 returning id)
      insert into snapshot (log, seq, sub, version, crc, view) select id, $2, $3, $4, $5, $6 from noted
      on conflict (log) do update set seq = $2, sub = $3, version = $4, crc = $5, view = $6
      where snapshot.version < $4 or (snapshot.seq, snapshot.sub) < ($2, $3)`,
    values: [id, seqOf(view.position), subOf(view.position), SNAPSHOT_VERSION, crc, bytes],
  });
}

export async function dropSnapshots(database: Database, id: string): Promise<void> {
  await database.query({
    text: `with noted as (update log set snapshot_seq = 0 where id = $1 returning id)
      delete from snapshot using noted where log = noted.id`,
    values: [id],
  });
}
