// One key, one effect: the key's row is inserted first and in the effect's own transaction. A second request under the
// same key waits on that row and then finds the first one's result.
import type { Command } from "../store.ts";
import { NOW_MS } from "./clock.ts";
import type { Transaction } from "./database.ts";

/** A keeper's keys live as long as the log that they were used on; a command's for COMMAND_KEPT_MS. */
export const KEEPER_SCOPE = "keeper";

export type Earlier = { kind: "none" } | { kind: "same"; result: string } | { kind: "other" };

export async function takeKey(transaction: Transaction, command: Command | undefined): Promise<Earlier> {
  if (!command) return { kind: "none" };
  const { scope, key, digest } = command;
  const taken = await transaction.query({
    text: `insert into command (scope, key, digest, at) values ($1, $2, $3, ${NOW_MS}) on conflict do nothing returning key`,
    values: [scope, key, digest],
  });
  if (taken.length > 0) return { kind: "none" };
  const [earlier] = await transaction.query<{ digest: string; result: string }>({
    text: "select digest, result from command where scope = $1 and key = $2",
    values: [scope, key],
  });
  return earlier?.digest === digest ? { kind: "same", result: earlier.result } : { kind: "other" };
}

export async function keepResult(
  transaction: Transaction,
  command: Command | undefined,
  result: string,
): Promise<void> {
  if (!command) return;
  await transaction.query({
    text: "update command set result = $3 where scope = $1 and key = $2",
    values: [command.scope, command.key, result],
  });
}
