// What went wrong with the database, in the store's own words: what a caller may do about it, and whether the
// statement can have taken effect.
import pg from "pg";
import { StorageError } from "../store.ts";

/** The connection was lost or timed out while a statement was on its way: it may have taken effect, or may yet. */
export class LostConnection extends StorageError {
  constructor(cause: Error, what = "lost the connection") {
    super("busy", `${what} to PostgreSQL: ${cause.message}`, { cause });
  }
}

/** There was no connection to send a statement on: it has not taken effect. */
export class NoConnection extends LostConnection {
  constructor(cause: Error) {
    super(cause, "there is no connection");
  }
}

/** PostgreSQL undid one of two statements that waited for each other: nothing of it took effect. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error) === "40P01";
}

/**
 * A statement's text did not get to the connection, since the one before it that brought it failed, or is there twice over
 * that: nothing of it took effect, and once more it does.
 */
export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.has(sqlState(error) ?? "");
}

/** The server takes no writes: a standby, or one that was told so. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === "25006";
}

/** Errors that are not the database's own pass as they are. */
export function storageFault(error: unknown): unknown {
  if (error instanceof StorageError || !(error instanceof Error)) return error;
  if (error instanceof pg.DatabaseError) return serverFault(error);
  return isConnectionError(error) ? new LostConnection(error) : error;
}

function serverFault(error: pg.DatabaseError): StorageError {
  const { code = "", message } = error;
  if (code === "") return new LostConnection(error); // pg's own: what came over the connection is not PostgreSQL's
  // The server goes down or threw us out; said before a statement it means "not done", after it "perhaps".
  if (code.startsWith("08") || code.startsWith("57P")) return new LostConnection(error);
  const kind = FULL.has(code) ? "full" : BUSY.has(code) ? "busy" : "broken";
  return new StorageError(kind, `PostgreSQL refused (${code}): ${message}`, { cause: error });
}

const FULL = new Set(["53100"]);
const BUSY = new Set([
  "25006", // read only: after a failover there may be another server
  "40001", // serialization failure
  "40P01", // deadlock
  "53200", // out of memory
  "53300", // too many connections
  "53400", // a configured limit
  "55P03", // lock_timeout
  "57014", // statement_timeout
  "25P03", // idle in transaction for too long
  "26000", // see isUnprepared
  "42P05",
]);
const UNPREPARED = new Set(["26000", "42P05"]);

/** pg's own errors about a connection have no code. */
const PG_WORDS =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered|Client was closed|Cannot use a pool|Received unexpected)/;
/** Of the system, of names, and of Node's about the wire: others of Node's are about what it was given. */
const NODE_CODES = /^(E[A-Z]+|EAI_[A-Z]+|ERR_(SSL|TLS|STREAM|SOCKET)_\w+)$/;

function isConnectionError(error: Error & { code?: unknown }): boolean {
  return PG_WORDS.test(error.message) || (typeof error.code === "string" && NODE_CODES.test(error.code));
}

function sqlState(error: unknown): string | undefined {
  const cause = error instanceof StorageError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}
