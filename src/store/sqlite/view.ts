// A session's view, folded from its newest snapshot on, and the snapshots themselves: droppable, since the log alone
// is enough.
import { crc32 } from "node:zlib";
import { formatPosition, parsePosition } from "../../session/position.ts";
import type { View } from "../../session/view.ts";
import { foldView, SNAPSHOT_VERSION } from "../fold.ts";
import type { Snapshot } from "../store.ts";
import type { Database } from "./database.ts";
import { readEvents, readHead } from "./read-events.ts";
import type { Writing } from "./writing.ts";

export async function readView(
  database: Database,
  id: string,
  signal?: AbortSignal,
): Promise<View | undefined> {
  if (readHead(database, id)?.kind !== "session") return undefined;
  return foldView({
    log: id,
    read: async (after, limit) => readEvents(database, id, after, limit),
    from: readSnapshot(database, id),
    signal,
  });
}

/** A damaged one is as good as none. */
export function readSnapshot(database: Database, id: string): Snapshot | undefined {
  const stored = database.get<{ seq: number; sub: number; crc: number; view: string }>(
    `select snapshot.seq, snapshot.sub, snapshot.crc, snapshot.view
      from snapshot join log on log.key = snapshot.log where log.id = ? and snapshot.version = ?`,
    id,
    SNAPSHOT_VERSION,
  );
  if (!stored || crc32(stored.view) !== stored.crc) return undefined;
  const view = JSON.parse(stored.view) as View; // as we wrote it, in this very version
  return { position: formatPosition(stored.seq, stored.sub), view };
}

export function saveSnapshot({ database, logs }: Writing, id: string, position: string, view: string): void {
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
    crc32(view),
    view,
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
