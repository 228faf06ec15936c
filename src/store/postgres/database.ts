// The pool of connections that verbs run on: every statement bounded in time, every fault in the store's words, and
// each of them noted for the store's health.
import pg from "pg";
import { LostConnection, NoConnection, storageFault } from "./fault.ts";
import type { Health } from "./health.ts";
import { keepMessages } from "./kept-message.ts";
import { storable, type WireArray } from "./wire.ts";

const POOL_MAX = 10;
const IDLE_MS = 60_000;
const CONNECT_MS = 3_000;
const LOCK_MS = 4_000;
export const STATEMENT_MS = 5_000;
/** Behind the server's own limit: for when no answer comes at all. */
const ANSWER_MS = 6_000;
/** How long a repeatable transaction is tried while connections are lost. */
const REPEAT_MS = 10_000;
const REPEAT_PAUSE_MS = 50;

/**
 * A table that grew since it was last analysed seems small to the planner: it would gather a whole log's million places
 * to read the first thousand. In an index they stand in their order, and that is how we read all but words.
 */
const PLANNING = "set enable_bitmapscan = off";

/**
 * Off, as a role, a database or the server may have it, PostgreSQL answers before what was committed is on its disk: after
 * a crash facts that were acknowledged would be gone. What waits for the disk and differs over replicas is left as it is.
 */
export const WAIT_FOR_DISK =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

export type Value = string | number | boolean | null | Buffer | WireArray;

export type Statement = {
  text: string;
  values?: readonly Value[];
  /** Statements with a name are planned once for each connection. */
  name?: string;
};

export interface Queryable {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
}

export interface Transaction extends Queryable {
  /** Nothing of the transaction stays; `outcome` is what it comes to. */
  abandon<T>(outcome: T): T;
}

export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #health: Health;

  constructor(url: string, node: string, health: Health, pool: pg.PoolConfig = {}) {
    this.#health = health;
    this.#pool = new pg.Pool({
      ...connectionTo(url, node),
      max: POOL_MAX,
      idleTimeoutMillis: IDLE_MS,
      verify: (client, done) => client.query(`${WAIT_FOR_DISK}; ${PLANNING}`, (error?: Error) => done(error)),
      ...pool,
    });
    // An idle connection that was cut is out of the pool already, and the next statement opens another. Whether that
    // one succeeds is what health goes by.
    this.#pool.on("error", () => {});
    // The pool stops listening while it verifies a new connection and hands it over: uncaught, a reset there would end
    // the process. Whoever waits for the connection's answer is told in any case.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#health.observe(() =>
      this.#connected(async (client) => rowsOf<Row>(await client.query(prepared(statement)))),
    );
  }

  /**
   * `repeatable` work finds out by itself that it was done before (by its command's key), so it is tried again when
   * nobody knows whether a commit went through.
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: { repeatable?: boolean; statementMs?: number } = {},
  ): Promise<T> {
    const deadline = performance.now() + REPEAT_MS;
    while (true) {
      try {
        return await this.#health.observe(() => this.#transact(work, options.statementMs));
      } catch (error) {
        const again = options.repeatable && error instanceof LostConnection && performance.now() < deadline;
        if (!again) throw error;
        await new Promise((resolve) => setTimeout(resolve, REPEAT_PAUSE_MS));
      }
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #transact<T>(work: (transaction: Transaction) => Promise<T>, statementMs?: number): Promise<T> {
    return this.#connected(async (client) => {
      let end = "commit";
      await client.query("begin");
      if (statementMs !== undefined) await client.query(`set local statement_timeout = ${statementMs}`);
      const outcome = await work({
        query: async <Row extends object>(statement: Statement) =>
          rowsOf<Row>(await client.query(prepared(statement, statementMs))),
        abandon: (value) => {
          end = "rollback";
          return value;
        },
      });
      await client.query(end);
      return outcome;
    });
  }

  async #connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      const fault = storageFault(error);
      throw fault instanceof LostConnection ? new NoConnection(error as Error) : fault;
    });
    let broken: Error | undefined;
    const lost = (error: Error) => (broken ??= error); // else a cut between two statements would be uncaught
    client.on("error", lost);
    try {
      return await work(client);
    } catch (error) {
      const fault = storageFault(error);
      if (fault instanceof LostConnection) broken ??= fault;
      throw fault;
    } finally {
      client.off("error", lost);
      // One that is broken, or still in a transaction that failed, leaves the pool.
      client.release(broken ?? client.getTransactionStatus() !== "I");
    }
  }
}

/** Of their own for reads that are few in kind and many in number: nothing slow holds them up, and they keep their plans. */
export function openLanes(url: string, node: string, health: Health, lanes: number): Database {
  return new Database(url, node, health, {
    max: lanes,
    idleTimeoutMillis: 0,
    verify: (client, done) => {
      if (client instanceof pg.Client) keepMessages(client.connection, 1);
      client.query(`${WAIT_FOR_DISK}; ${LANE_PLANNING}`, (error?: Error) => done(error));
    },
  });
}

/**
 * The plans don't depend on the values, but PostgreSQL would find that out anew for each shape and connection. And it
 * plans while the tables are small, when to scan them whole seems best, and keeps that plan while they fill with rows
 * that are dead and not vacuumed yet.
 */
export const LANE_PLANNING =
  "set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_bitmapscan = off";

export function connectionTo(url: string, node: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `holdfast ${node}`,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser },
  };
}

/** All our integers stay below 2^53: positions, milliseconds, counts. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 && format !== "binary"
    ? Number
    : (pg.types.getTypeParser(oid, format as "text") as (value: string) => unknown);

export function prepared({ text, values = [], name }: Statement, answerMs?: number): pg.QueryConfig {
  return {
    text,
    values: values.map((value) => (typeof value === "string" ? storable(value) : value)),
    ...(name === undefined ? {} : { name }),
    ...(answerMs === undefined ? {} : { query_timeout: answerMs + ANSWER_MS - STATEMENT_MS }),
  };
}

export function rowsOf<Row extends object>(result: pg.QueryResult): Row[] {
  return result.rows as Row[]; // as the statement selects them
}
