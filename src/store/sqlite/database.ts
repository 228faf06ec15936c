// One connection and its statements, each prepared once and kept. SQL stands where it is used, as text: the text is
// the statement's name.
import { DatabaseSync, type PrepareOptions, type SQLInputValue, type StatementSync } from "node:sqlite";
import { storageFault } from "./fault.ts";

export type Value = SQLInputValue;

/** More than all verbs have; only shapes of filters and row changes could ever pile up. */
const STATEMENTS_MAX = 500;

export class Database {
  readonly connection: DatabaseSync;
  #records = new Map<string, StatementSync>();
  #tuples = new Map<string, StatementSync>();
  #changes = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.connection = connection;
  }

  /** Rows as objects. */
  all<T>(sql: string, ...values: Value[]): T[] {
    try {
      return this.#prepared(this.#records, sql, {}).all(...values) as T[];
    } catch (error) {
      throw storageFault(error);
    }
  }

  get<T>(sql: string, ...values: Value[]): T | undefined {
    try {
      return this.#prepared(this.#records, sql, {}).get(...values) as T | undefined;
    } catch (error) {
      throw storageFault(error);
    }
  }

  /** Rows as arrays: half the cost, for what is read often or in numbers. */
  tuples<T extends unknown[]>(sql: string, ...values: Value[]): T[] {
    try {
      return this.#prepared(this.#tuples, sql, { returnArrays: true }).all(...values) as unknown[] as T[];
    } catch (error) {
      throw storageFault(error);
    }
  }

  tuple<T extends unknown[]>(sql: string, ...values: Value[]): T | undefined {
    try {
      return this.#prepared(this.#tuples, sql, { returnArrays: true }).get(...values) as unknown as
        | T
        | undefined;
    } catch (error) {
      throw storageFault(error);
    }
  }

  /** For a statement that gives no rows: to have its changes counted takes a small insert a fifth longer. */
  run(sql: string, ...values: Value[]): void {
    try {
      this.#prepared(this.#records, sql, {}).get(...values);
    } catch (error) {
      throw storageFault(error);
    }
  }

  /** How many rows it changed. As a bigint: full-text search leaves row ids behind that are no safe integers. */
  changes(sql: string, ...values: Value[]): number {
    try {
      return Number(this.#prepared(this.#changes, sql, { readBigInts: true }).run(...values).changes);
    } catch (error) {
      throw storageFault(error);
    }
  }

  exec(sql: string): void {
    try {
      this.connection.exec(sql);
    } catch (error) {
      throw storageFault(error);
    }
  }

  get isTransaction(): boolean {
    return this.connection.isTransaction;
  }

  close(): void {
    this.#records.clear();
    this.#tuples.clear();
    this.#changes.clear();
    this.connection.close();
  }

  #prepared(kept: Map<string, StatementSync>, sql: string, options: PrepareOptions): StatementSync {
    const found = kept.get(sql);
    if (found) return found;
    if (kept.size >= STATEMENTS_MAX) kept.clear();
    const statement = this.connection.prepare(sql, options);
    kept.set(sql, statement);
    return statement;
  }
}

/**
 * The most that the journal holds before a commit copies it into the database itself, should journal.ts not have come to
 * it: 8 MB, as much as the ballast, in whose room it can be copied on a full disk.
 */
const JOURNAL_MAX_PAGES = 2_000;

/** Each commit is synced: what was acknowledged survives a loss of power. */
export function openWriter(
  file: string,
  { cacheKb = 8_000, timeout = 5_000, journalMaxPages = JOURNAL_MAX_PAGES } = {},
): Database {
  const database = new Database(new DatabaseSync(file, { timeout }));
  try {
    database.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -${cacheKb}`);
    database.exec(`pragma wal_autocheckpoint = ${journalMaxPages}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** For reading beside the writer, on the main thread or in a worker of its own. */
export function openReader(file: string): Database {
  try {
    const database = new Database(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }));
    database.exec("pragma query_only = on; pragma cache_size = -4000");
    return database;
  } catch (error) {
    throw storageFault(error);
  }
}
