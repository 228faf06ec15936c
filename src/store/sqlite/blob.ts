// Bytes in chunks, a chunk to a verb: however large they are, others' appends go on in between. Long texts are named
// after their bytes: the same text is kept once, and putting it again after a crash changes nothing.
import { MESSAGE_CHARS } from "../../session/search-text.ts";
import type { LogId } from "../store.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

export const CHUNK_BYTES = 256 * 1024;

/** Where to put the chunks; `complete` when they are all there already. A file has no name of its own here. */
export function beginBlob(
  { database }: Writing,
  id: string | null,
  bytes: number,
  now: number,
): { key: number; complete: boolean } {
  const known =
    id === null ? undefined : database.get<BlobRecord>("select key, complete from blob where id = ?", id);
  if (known) {
    database.run("update blob set at = ? where key = ?", now, known.key);
    return { key: known.key, complete: known.complete === 1 };
  }
  const made = database.get<BlobRecord>(
    "insert into blob (id, bytes, at) values (?, ?, ?) returning key, complete",
    id,
    bytes,
    now,
  );
  if (!made) throw new Error("a new blob has no key");
  return { key: made.key, complete: false };
}

export function putChunk({ database }: Writing, blob: number, n: number, bytes: Uint8Array): void {
  database.run("insert or replace into chunk (blob, n, bytes) values (?, ?, ?)", blob, n, bytes);
}

/**
 * From here on it is there for readers, and kept as long as the log; for a log that is yet to be made, until tidy takes
 * what nobody came for. False when it was dropped meanwhile.
 */
export function finishBlob(
  { database, logs }: Writing,
  blob: number,
  id: string,
  log: LogId,
  now: number,
): boolean {
  if (database.changes("update blob set complete = 1, at = ? where key = ? and id = ?", now, blob, id) === 0)
    return false;
  const key = logs.find(log)?.key;
  if (key !== undefined) database.run("insert or ignore into log_blob (log, blob) values (?, ?)", key, blob);
  return true;
}

/** Put before there was a log that could have them. */
export function keepBlobs({ database }: Writing, log: number, blobs: readonly string[]): void {
  for (const id of blobs)
    database.run("insert or ignore into log_blob (log, blob) select ?, key from blob where id = ?", log, id);
}

/** With its log: nobody is about to come for them. */
export function leaveBlobs({ database }: Pick<Writing, "database">, log: number): void {
  database.run("update blob set at = 0 where key in (select blob from log_blob where log = ?)", log);
  database.run("delete from log_blob where log = ?", log);
}

export function readBlob(database: Database, id: string): Buffer | undefined {
  const blob = database.get<BlobRecord>("select key, complete from blob where id = ?", id);
  if (!blob || blob.complete === 0) return undefined;
  return Buffer.concat(Array.from(readChunks(database, blob.key)));
}

/** How a long text begins: as far as search looks at it. */
export function readBeginning(database: Database, id: string): string | undefined {
  const key = database.tuple<[number]>("select key from blob where id = ? and complete", id)?.[0];
  if (key === undefined) return undefined;
  const read: Buffer[] = [];
  let bytes = 0;
  for (const chunk of readChunks(database, key)) {
    read.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= MESSAGE_CHARS * UTF8_MAX_BYTES) break;
  }
  return Buffer.concat(read).toString("utf8").slice(0, MESSAGE_CHARS);
}
/** Of a UTF-16 unit, by which strings are measured here. */
const UTF8_MAX_BYTES = 3;

export function* readChunks(database: Database, blob: number): Generator<Buffer> {
  for (let n = 0; ; n++) {
    const [bytes] =
      database.tuple<[Uint8Array]>("select bytes from chunk where blob = ? and n = ?", blob, n) ?? [];
    if (bytes === undefined) return;
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/**
 * A few chunks of a blob that nobody has; false once there is nothing left to do. It loses its name first: who puts
 * the same bytes meanwhile begins a blob of its own. With `putBefore`, only if it has not been put again since.
 */
export function dropBlob({ database }: Writing, blob: number, putBefore?: number): boolean {
  if (isUsed(database, blob) || (putBefore !== undefined && wasPutSince(database, blob, putBefore)))
    return false;
  database.run("update blob set id = null, complete = 0 where key = ?", blob);
  const chunks = database.changes(
    "delete from chunk where rowid in (select rowid from chunk where blob = ? limit 16)",
    blob,
  );
  if (chunks > 0) return true;
  database.run("delete from blob where key = ?", blob);
  return false;
}

function isUsed(database: Database, blob: number): boolean {
  return (
    database.tuple(
      "select 1 from log_blob where blob = ?1 union all select 1 from file where blob = ?1",
      blob,
    ) !== undefined
  );
}

function wasPutSince(database: Database, blob: number, time: number): boolean {
  return database.tuple("select 1 from blob where key = ? and at >= ?", blob, time) !== undefined;
}

type BlobRecord = { key: number; complete: number };
