// Forgets what has outlived its purpose, a little at a time.
import { COMMAND_KEPT_MS, DEEDS_KEPT, type NodeId } from "../store.ts";
import type { Writing } from "./writing.ts";

const SLICE_ROWS = 500;
const DAY_MS = 24 * 3_600_000;
/** Whoever puts a blob before there is a log for it makes that within this time. */
export const UNCLAIMED_MS = DAY_MS;

/** False when nothing is left to forget. */
export function tidySlice({ database }: Writing, self: NodeId, now: number): boolean {
  const forgotten =
    database.changes(
      `delete from command where rowid in (select rowid from command where log is null and at < ? limit ${SLICE_ROWS})`,
      now - COMMAND_KEPT_MS,
    ) +
    database.changes(
      `delete from process_request where rowid in (
        select rowid from process_request where outcome is not null and at < ? limit ${SLICE_ROWS})`,
      now - COMMAND_KEPT_MS,
    ) +
    database.changes(
      `delete from deed where seq in (
        select seq from deed where seq <= (select max(seq) from deed) - ${DEEDS_KEPT} order by seq limit ${SLICE_ROWS})`,
    ) +
    database.changes("delete from login_link where expires_at <= ?", now) +
    database.changes("delete from login where expires_at <= ?", now) +
    database.changes(
      "delete from node where id <> ? and started_at < ? and not exists (select 1 from log where holder = node.id)",
      self,
      now - DAY_MS,
    );
  return forgotten > 0;
}

/** Blobs that no log has any more, and what was put for nobody: uploads that were never finished, for one. */
export function orphanedBlobs({ database }: Writing, putBefore: number): number[] {
  return database
    .tuples<[number]>(
      `select key from blob
        where not exists (select 1 from log_blob where log_blob.blob = blob.key)
          and not exists (select 1 from file where file.blob = blob.key) and at < ?
        limit ${SLICE_ROWS}`,
      putBefore,
    )
    .map(([key]) => key);
}
