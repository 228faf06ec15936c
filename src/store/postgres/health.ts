// Whether the database can be reached and written to, as far as the last statements tell. The poll asks every second
// and the heartbeat writes every five, so neither answer grows old.
import { StorageError, type StoreHealth } from "../store.ts";
import { isReadOnly, LostConnection, storageFault } from "./fault.ts";

export class Health {
  #unreachable: string | undefined;
  #unwritable: string | undefined;

  state(): StoreHealth {
    const reason = this.#unreachable ?? this.#unwritable;
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  /** Faults come out in the store's words. */
  async observe<T>(work: () => Promise<T>): Promise<T> {
    try {
      const outcome = await work();
      this.answered();
      return outcome;
    } catch (error) {
      const fault = storageFault(error);
      this.failed(fault);
      throw fault;
    }
  }

  answered(): void {
    this.#unreachable = undefined;
  }

  wrote(): void {
    this.#unwritable = undefined;
  }

  failed(error: unknown): void {
    if (!(error instanceof StorageError)) return;
    if (error instanceof LostConnection) {
      this.#unreachable = error.message;
      return;
    }
    this.#unreachable = undefined; // a refusal is an answer
    if (error.kind === "full" || isReadOnly(error)) this.#unwritable = error.message;
  }
}
