// A session's view, folded from its newest snapshot on, and the snapshots themselves: droppable, since the log alone
// is enough.
import { formatPosition, parsePosition } from "../../session/position.ts";
import { foldLog, SNAPSHOT_VERSION, type Folded } from "../fold.ts";
import { unpackView, type PackedView } from "../packed-view.ts";
import type { Snapshot } from "../store.ts";
import type { Database } from "./database.ts";
import { readEvents, readHead } from "./read-events.ts";
import type { Writing } from "./writing.ts";

export async function readView(
  database: Database,
  id: string,
  signal?: AbortSignal,
): Promise<Folded | undefined> {
  if (readHead(database, id)?.kind !== "session") return undefined;
  return foldLog({
    log: id,
    read: async (after, limit) => readEvents(database, id, after, limit),
    from: readSnapshot(database, id),
    signal,
  });
}

/** A damaged one is as good as none. */
export function readSnapshot(database: Database, id: string): Snapshot | undefined {
  const stored = database.tuple<[seq: number, sub: number, crc: number, view: Uint8Array]>(
    `select snapshot.seq, snapshot.sub, snapshot.crc, snapshot.view
      from snapshot join log on log.key = snapshot.log where log.id = ? and snapshot.version = ?`,
    id,
    SNAPSHOT_VERSION,
  );
  if (!stored) return undefined;
  const [seq, sub, crc, bytes] = stored;
  const view = unpackView({ bytes, crc });
  return view && { position: formatPosition(seq, sub), view };
}

export function saveSnapshot(
  { database, logs }: Writing,
  id: string,
  position: string,
  view: PackedView,
): void {
  const log = logs.find(id);
  const place = parsePosition(position);
  if (!log || !place) return; // deleted meanwhile
  log.snapshotSeq = place.seq;
  database.run(
    "insert or replace into snapshot (log, seq, sub, version, crc, view) values (?, ?, ?, ?, ?, ?)",
    log.key,
    place.seq,
    place.sub,
    SNAPSHOT_VERSION,
    view.crc,
    view.bytes,
  );
  database.run("update log set snapshot_seq = ? where key = ?", place.seq, log.key);
}

export function dropSnapshots({ database, logs }: Writing, id: string): void {
  const log = logs.find(id);
  if (!log) return;
  log.snapshotSeq = 0;
  database.run("delete from snapshot where log = ?", log.key);
  database.run("update log set snapshot_seq = 0 where key = ?", log.key);
}
