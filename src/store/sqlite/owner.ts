// One process owns a file. The right is a lock on a second file, held as long as the process lives and freed by the
// kernel however it ends; who holds it is written beside it, for the one who is refused.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StorageError } from "../store.ts";
import { isNoRoom, storageFault } from "./fault.ts";

export type Owner = { pid: number; url: string | null };

/** Gives the function that lets go of it. Throws a StorageError of kind `busy` when another process has it. */
export function takeOwnership(file: string, owner: Owner): () => void {
  const lock = lockFile(file);
  writeNote(file, owner);
  return () => {
    rmSync(noteOf(file), { force: true });
    lock.close();
  };
}

function lockFile(file: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    // Never opened by anything but SQLite: closing it elsewhere would free this process's lock.
    lock = new DatabaseSync(`${file}-owner`, { timeout: 0 });
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    lock?.close();
    throw refusal(file, storageFault(error));
  }
}

function writeNote(file: string, owner: Owner): void {
  try {
    writeFileSync(noteOf(file), JSON.stringify(owner), { mode: 0o600 });
  } catch (error) {
    if (!isNoRoom(error)) throw error; // a full disk must not keep the server from starting: the lock is what counts
  }
}

function refusal(file: string, error: unknown): unknown {
  if (!(error instanceof StorageError) || error.kind !== "busy") return error;
  const owner = readOwner(file);
  const who = owner ? ` (pid ${owner.pid}${owner.url === null ? "" : `, ${owner.url}`})` : "";
  return new StorageError(
    "busy",
    `${file} is in use by another Holdfast${who}: stop that one, or go through it with the command line`,
    { cause: error },
  );
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(noteOf(file), "utf8")) as Owner; // as an owner wrote it
  } catch {
    return undefined; // it is only a courtesy, and its writer may be in the middle of it
  }
}

function noteOf(file: string): string {
  return `${file}-owner.json`;
}
