// What SQLite's error codes mean to whoever asked.
import { StorageError } from "../store.ts";

const PRIMARY_CODE = 0xff; // an extended code has its primary one in the lowest byte
const BUSY = new Set([5, 6, 7]); //            SQLITE_BUSY, _LOCKED, _NOMEM
const FULL = new Set([13]); //                 SQLITE_FULL
const BROKEN = new Set([8, 10, 11, 14, 23, 26]); // _READONLY, _IOERR, _CORRUPT, _CANTOPEN, _AUTH, _NOTADB

/** A StorageError where the disk or the file is to blame; anything else is a mistake of ours and stays as it is. */
export function storageFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  const code = error.errcode & PRIMARY_CODE;
  const options = { cause: error };
  if (FULL.has(code)) return diskFull(options);
  if (BUSY.has(code))
    return new StorageError("busy", `the database is busy (${error.message}): try again`, options);
  if (BROKEN.has(code))
    return new StorageError("broken", `the database can't be read or written (${error.message})`, options);
  return error;
}

export function diskFull(options?: ErrorOptions): StorageError {
  return new StorageError("full", "the disk is full: nothing more is stored until there is room", options);
}

/** As Node says it of a file that it writes itself. */
export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
