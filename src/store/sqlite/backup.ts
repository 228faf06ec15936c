// A copy of the running store, of one moment. From a connection of its own and in one step: in smaller ones each write
// in between would make it begin again, and it would never end.
import { existsSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup as copy, DatabaseSync } from "node:sqlite";
import { StorageError } from "../store.ts";
import { storageFault } from "./fault.ts";
import { makePrivate } from "./private-file.ts";
import { syncFolder } from "./sync-folder.ts";

const ALL_PAGES = 2 ** 31 - 1;
/** On the store's own disk a copy leaves this to whoever appends meanwhile. */
const LEFT_BYTES = 32 * 1024 * 1024;

export async function backup(file: string, target: string): Promise<{ bytes: number }> {
  if (existsSync(target))
    throw new StorageError("broken", `${target} is already there: name a new file for the backup`);
  const part = `${target}.part`;
  rmSync(part, { force: true });
  refuseWithoutRoom(file, target);
  try {
    makePrivate(part);
    const source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      await copy(source, part, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    asOneFile(part);
  } catch (error) {
    rmSync(part, { force: true });
    const { message } = storageFault(error) as Error; // whatever Node or SQLite throws is one
    throw new StorageError("broken", `no backup could be written to ${target}: ${message}`, { cause: error });
  }
  renameSync(part, target); // under its name only when it is whole
  syncFolder(dirname(target));
  return { bytes: statSync(target).size };
}

/** Beforehand: a copy that fills the store's disk to the last would keep everyone from writing until it has failed. */
function refuseWithoutRoom(file: string, target: string): void {
  const folder = statSync(dirname(target), { throwIfNoEntry: false });
  if (!folder) return; // the copy says so
  const { dev, size } = statSync(file);
  const journal = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const needed = size + journal + (folder.dev === dev ? LEFT_BYTES : 0);
  const { bavail, bsize } = statfsSync(dirname(target));
  if (bavail * bsize >= needed) return;
  const [needs, has] = [needed, bavail * bsize].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  throw new StorageError(
    "full",
    `a backup in ${dirname(target)} needs ${needs} MB, and ${has} MB are free there`,
  );
}

/** Without a log beside it, so that it can be moved and read anywhere; leaving WAL also writes it through to the disk. */
function asOneFile(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma synchronous = full; pragma journal_mode = delete");
  } finally {
    database.close();
  }
}
