// A connection of its own for statements that are few in kind and many in number, which keeps their plans. A statement need
// not wait for the answer to the one before it: it lies ready when PostgreSQL is done with that, which then goes on while
// this process still tells everybody how the last one went.
//
// Two connections instead of it, with a statement each, were slower by a fourteenth where PostgreSQL is on the same two cores:
// Linux ran both on one of them, the second's work held up the first's commit, and so all waited for both.
import pg from "pg";
import { StorageError } from "../store.ts";
import {
  connectionTo,
  LANE_PLANNING,
  prepared,
  rowsOf,
  STATEMENT_MS,
  WAIT_FOR_DISK,
  type Statement,
} from "./database.ts";
import { LostConnection, NoConnection, storageFault } from "./fault.ts";
import type { Health } from "./health.ts";
import { goodbye } from "./kept-connection.ts";
import { keepMessages } from "./kept-message.ts";

/** One at work and one that lies ready: more would make for smaller ones. */
export const STATEMENTS_AT_ONCE = 2;

export type LaneOptions = { url: string; node: string; health: Health };

export class Lane {
  #client: Promise<pg.Client> | undefined;
  #onTheirWay = 0;
  #isClosed = false;
  readonly #options: LaneOptions;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Not more than STATEMENTS_AT_ONCE before they are answered. */
  query<Row extends object>(statement: Statement): Promise<Row[]> {
    return this.#options.health.observe(() => this.#query<Row>(statement));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined); // whoever asked for it was told
    if (client) await goodbye(client);
  }

  async #query<Row extends object>(statement: Statement): Promise<Row[]> {
    const opened = (this.#client ??= this.#open());
    const client = await opened.catch((error: unknown) => {
      this.#drop(opened);
      const fault = storageFault(error);
      throw fault instanceof StorageError && fault.kind === "busy" ? new NoConnection(fault) : fault;
    });
    this.#onTheirWay += 1;
    // PostgreSQL counts the time of a statement from when it comes to it, and we from here on.
    const answerMs = this.#onTheirWay * STATEMENT_MS;
    try {
      return rowsOf<Row>(await client.query(prepared(statement, answerMs)));
    } catch (error) {
      const fault = storageFault(error);
      if (fault instanceof LostConnection) {
        this.#drop(opened);
        void goodbye(client);
      }
      throw fault;
    } finally {
      this.#onTheirWay -= 1;
    }
  }

  #open(): Promise<pg.Client> {
    if (this.#isClosed) throw new StorageError("busy", "this store is closed");
    const { url, node } = this.#options;
    const client = new pg.Client({ ...connectionTo(url, node), pipeline: true });
    const opened = prepare(client);
    // Uncaught, a cut between two statements would end the process; the next one opens another connection.
    client.on("error", () => {
      this.#drop(opened);
      void goodbye(client);
    });
    return opened;
  }

  /** Unless there is another already. */
  #drop(client: Promise<pg.Client>): void {
    if (this.#client === client) this.#client = undefined;
  }
}

async function prepare(client: pg.Client): Promise<pg.Client> {
  try {
    await client.connect();
    await client.query(`${WAIT_FOR_DISK}; ${LANE_PLANNING}`);
    keepMessages(client.connection, STATEMENTS_AT_ONCE);
    return client;
  } catch (error) {
    void goodbye(client);
    throw error;
  }
}
