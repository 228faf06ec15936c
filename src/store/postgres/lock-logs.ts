// The order in which everybody locks, so that nobody ever waits in a circle. Whoever needs several of these waits for
// them in this order, and gives all of them back together, with the transaction:
//
// 1. rows of `log`, in the order of their ids: here, in append-statement.ts, and wherever else several are changed. A
//    claim takes them in its own order, but never waits for one;
// 2. the row of a command's key (command.ts); an append with several takes them by scope and key;
// 3. whatever belongs to a log (session, asks, processes, seen, snapshot, timers), under that log's lock. A process may
//    be ended under another's, so who changes several takes them by id; and so for blobs, which logs share.
//
// A statement that locks a single row and nothing else needs no order, nor does a log that only its own transaction can
// see yet.
import type { LogId } from "../store.ts";
import type { Transaction } from "./database.ts";
import { textArray } from "./wire.ts";

/** Before anything else in a transaction. Those that are not there are passed over. */
export async function lockLogs(transaction: Transaction, logs: readonly LogId[]): Promise<void> {
  await transaction.query({
    text: "select from log where id = any($1::text[]) order by id for update",
    values: [textArray(logs)],
  });
}
