// Puts a backup in the place of the store. The backup is checked first, event by event; what was there is kept under
// another name; and the result is a new store, so that no client takes an old position for one of this.
import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StorageError, type Renewed } from "../store.ts";
import { checkFile } from "./check-thread.ts";
import { Database, openReader } from "./database.ts";
import { dropRevoked, type Grants } from "./drop-revoked.ts";
import { storageFault } from "./fault.ts";
import { refuseNewer } from "./migrate.ts";
import { takeOwnership } from "./owner.ts";
import { reasonOf } from "./read-all.ts";
import { syncFolder } from "./sync-folder.ts";

export type Restoring = { newStoreId: string; now: number; pid?: number };

/** Before anything is touched: throws what is wrong with the backup itself. */
export async function refuseBadBackup(backupFile: string): Promise<void> {
  try {
    const database = openReader(backupFile);
    try {
      refuseNewer(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof StorageError && error.cause === undefined) throw error; // of a newer version, as it says
    const reason = error instanceof StorageError ? reasonOf(error) : String(error);
    throw new StorageError(
      "broken",
      `${backupFile} is no backup of Holdfast, or is damaged (${reason}): nothing was restored`,
      { cause: error },
    );
  }
  await verify(backupFile, backupFile);
}

/** `kept`: where what was there before is now, if anything was. */
export async function restoreSqlite(
  backupFile: string,
  targetFile: string,
  { newStoreId, now, pid = process.pid }: Restoring,
): Promise<{ events: number; kept: string | null } & Grants> {
  if (!existsSync(backupFile)) throw new StorageError("broken", `${backupFile} is not there`);
  const letGo = takeOwnership(targetFile, { pid, url: null });
  const part = `${targetFile}.restoring`;
  try {
    removeStore(part);
    copyFileSync(backupFile, part);
    const was = rename(part, newStoreId, "delete");
    const grants = dropRevoked(part, was, targetFile);
    const events = await verify(part, backupFile);
    const kept = keepOld(targetFile, now);
    renameSync(part, targetFile);
    syncFolder(dirname(targetFile));
    return { events, kept, ...grants };
  } finally {
    removeStore(part);
    letGo();
  }
}

/** Of a file that came back in another way: with its disk, or as a copy. */
export function renewSqlite(file: string, newStoreId: string, pid = process.pid): Renewed {
  const letGo = takeOwnership(file, { pid, url: null });
  try {
    const was = rename(file, newStoreId, "wal");
    const database = openReader(file);
    try {
      const [running = 0] =
        database.tuple<[number]>("select count(*) from process where status = 'running'") ?? [];
      return { was, is: newStoreId, running };
    } finally {
      database.close();
    }
  } finally {
    letGo();
  }
}

/** Also says that it is a store at all, and not one from a newer version. */
function rename(file: string, newStoreId: string, journal: "delete" | "wal"): string {
  try {
    const database = new Database(new DatabaseSync(file));
    try {
      refuseNewer(database);
      database.exec(`pragma synchronous = full; pragma journal_mode = ${journal}`);
      const was = database.tuple<[string]>("select value from meta where name = 'store'")?.[0];
      database.run("update meta set value = ? where name = 'store'", newStoreId);
      if (was === undefined) throw new StorageError("broken", `${file} has no store id`);
      return was;
    } finally {
      database.close();
    }
  } catch (error) {
    const fault = storageFault(error);
    if (fault instanceof StorageError) throw fault;
    throw new StorageError("broken", `this is no backup of Holdfast: ${String(error)}`, { cause: error });
  }
}

async function verify(file: string, backupFile: string): Promise<number> {
  const { events, damaged, problems } = await checkFile(file);
  const faults = [
    ...damaged.map(({ log, position }) => `event ${position} of ${log} is damaged`),
    ...problems,
  ];
  if (faults.length > 0)
    throw new StorageError(
      "broken",
      `${backupFile} is damaged and was not restored: ${faults.slice(0, 3).join("; ")} (${faults.length} in all)`,
    );
  return events;
}

/** Under a second name first, so that at no moment there is nothing. */
function keepOld(file: string, now: number): string | null {
  if (!existsSync(file)) return null;
  const kept = `${file}.before-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  linkSync(file, kept);
  // An empty one is there whenever somebody has looked into the store, and holds nothing.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    linkSync(`${file}-wal`, `${kept}-wal`);
  syncFolder(dirname(file));
  carryOver(file);
  // The old log must not meet the new file, not even after a loss of power: SQLite would take its pages for this one's.
  for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
  syncFolder(dirname(file));
  return kept;
}

/** What only the log of a killed store holds is put into its file, which for a moment has no log beside it. */
function carryOver(file: string): void {
  try {
    const database = new DatabaseSync(file);
    try {
      database.exec("pragma synchronous = full; pragma wal_checkpoint(truncate)");
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(storageFault(error) instanceof StorageError)) throw error; // damaged, as it may be, it is kept as it lies
  }
}

function removeStore(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}
