// One key, one effect: the result is kept under the key in the effect's own transaction, and given again.
import type { Command, Recalled } from "../store.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

/** A keeper's key is kept as long as the log that it wrote to, a person's for COMMAND_KEPT_MS. */
export const KEEPER_SCOPE = "keeper";

export type Kept<R> = R | (R & { ok: true; replayed: true }) | { ok: false; code: "key_reused" };

/** Only what succeeded is kept: a refused command may be tried again under its key. */
export function once<R extends { ok: boolean }>(
  writing: Writing,
  key: Command | undefined,
  now: number,
  effect: () => R,
  logOf?: () => number | undefined,
): Kept<R> {
  if (!key) return effect();
  const earlier = recall<R & { ok: true }>(writing.database, key);
  if (earlier) return earlier;
  const result = effect();
  if (result.ok)
    writing.database.run(
      "insert into command (scope, key, digest, result, log, at) values (?, ?, ?, ?, ?, ?)",
      key.scope,
      key.key,
      key.digest,
      JSON.stringify(result),
      logOf?.() ?? null,
      now,
    );
  return result;
}

/** For what had nothing to write. */
export function keep<R extends { ok: true }>(
  writing: Writing,
  key: Command,
  result: R,
  now: number,
): Kept<R> {
  return once(writing, key, now, () => result);
}

export function recall<R extends { ok: true }>(
  database: Database,
  { scope, key, digest }: Command,
): Recalled<R> | undefined {
  const kept = database.get<{ digest: string; result: string }>(
    "select digest, result from command where scope = ? and key = ?",
    scope,
    key,
  );
  if (!kept) return undefined;
  if (kept.digest !== digest) return { ok: false, code: "key_reused" };
  return { ...(JSON.parse(kept.result) as R), replayed: true }; // as `once` kept it
}
