// One key, one effect: the key's row is inserted first and in the effect's own transaction. A second request under the
// same key waits on that row and then finds the first one's result.
import type { Command, Recalled } from "../store.ts";
import { NOW_MS } from "./clock.ts";
import type { Database, Queryable, Transaction } from "./database.ts";

/** A keeper's keys live as long as the log that they were used on; a command's for COMMAND_KEPT_MS. */
export const KEEPER_SCOPE = "keeper";

type Succeeded = { ok: true };
export type Kept<R> = R | (R & Succeeded & { replayed: true }) | { ok: false; code: "key_reused" };

/** Only what succeeded is kept, and only that stays: a refused command may be tried again under its key. */
export async function once<R extends { ok: boolean }>(
  transaction: Transaction,
  command: Command | undefined,
  effect: () => Promise<R>,
): Promise<Kept<R>> {
  if (command && !(await takeKey(transaction, command))) {
    const earlier = await recall<R & Succeeded>(transaction, command);
    if (!earlier) throw new Error(`the result under the key ${command.key} is missing`);
    return earlier;
  }
  const result = await effect();
  if (!result.ok) return transaction.abandon(result);
  if (command) await keepResult(transaction, command, result);
  return result;
}

/** For what had nothing to write. */
export function keep<R extends Succeeded>(
  database: Database,
  command: Command,
  result: R,
): Promise<R | Recalled<R>> {
  return database.transaction((transaction) => once(transaction, command, async () => result), {
    repeatable: true,
  });
}

export async function recall<R extends Succeeded>(
  database: Queryable,
  { scope, key, digest }: Command,
): Promise<Recalled<R> | undefined> {
  const [earlier] = await database.query<{ digest: string; result: string }>({
    text: "select digest, result from command where scope = $1 and key = $2",
    values: [scope, key],
  });
  if (!earlier) return undefined;
  if (earlier.digest !== digest) return { ok: false, code: "key_reused" };
  // As `once` kept it, or append-statement.ts, which keeps only what differs.
  return { ...(JSON.parse(earlier.result) as R), ok: true, replayed: true };
}

/** False when it was used before. */
async function takeKey(transaction: Transaction, { scope, key, digest }: Command): Promise<boolean> {
  const taken = await transaction.query({
    text: `insert into command (scope, key, digest, at) values ($1, $2, $3, ${NOW_MS})
      on conflict do nothing returning key`,
    values: [scope, key, digest],
  });
  return taken.length > 0;
}

async function keepResult(transaction: Transaction, { scope, key }: Command, result: object): Promise<void> {
  await transaction.query({
    text: "update command set result = $3 where scope = $1 and key = $2",
    values: [scope, key, JSON.stringify(result)],
  });
}
