// One key, one effect: what came of each command, given again to whoever asks again.
import type { Command, LogId } from "../../src/store/store.ts";

export class KeptResults {
  readonly #results = new Map<string, { digest: string; result: { ok: true }; log: LogId | undefined }>();

  /** Only what succeeded is kept; with a log, as a keeper's, as long as that is there. */
  once<R extends { ok: boolean }>(command: Command | undefined, effect: () => R, log?: LogId): R {
    if (!command) return effect();
    const { scope, key, digest } = command;
    const kept = this.#results.get(`${scope} ${key}`);
    if (kept && kept.digest !== digest) return { ok: false, code: "key_reused" } as unknown as R; // each R has it
    if (kept) return { ...kept.result, replayed: true } as unknown as R; // under this key there is no other
    const result = effect();
    if (result.ok) this.#results.set(`${scope} ${key}`, { digest, result: result as R & { ok: true }, log });
    return result;
  }

  forget(log: LogId): void {
    for (const [name, kept] of this.#results) if (kept.log === log) this.#results.delete(name);
  }
}
