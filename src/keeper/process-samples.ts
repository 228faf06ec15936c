// How the processes of this machine are doing: the whole tree of each is measured now and then, and judged.
import { join } from "node:path";
import { readClaim } from "../process/directory.ts";
import { adoptWhole } from "../process/left.ts";
import { Sampler, type Measured } from "../process/sample.ts";
import type { RunningProcess } from "../process/state.ts";
import type { Store } from "../store/store.ts";

export type ProcessSamplesOptions = {
  store: Store;
  host: string;
  /** HOLDFAST_HOME/processes */
  folder: string;
  everyMs: number;
  quietMs: number;
  log: { error(detail: object, message: string): void };
};

const MEASURED_MAX = 500;

export class ProcessSamples {
  readonly #options: ProcessSamplesOptions;
  readonly #sampler = new Sampler();
  #measured: ReadonlyMap<string, Measured> = new Map();
  #measuring: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProcessSamplesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#measuring ??= this.#measure()
        .catch((error: unknown) => this.#options.log.error({ err: error }, "processes could not be measured"))
        .finally(() => (this.#measuring = undefined));
    }, this.#options.everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#measuring;
  }

  /** Undefined when it was not measured yet, or runs elsewhere. */
  of(process: string): Measured | undefined {
    return this.#measured.get(join(this.#options.folder, process));
  }

  async #measure(): Promise<void> {
    const { store, host, folder, quietMs } = this.#options;
    const { items } = await store.processes({ running: true, host, limit: MEASURED_MAX });
    if (items.length === 0 && this.#measured.size === 0) return;
    const running: RunningProcess[] = [];
    for (const { id } of items) {
      const dir = join(folder, id);
      if ((await readClaim(dir)) === undefined) continue; // about to begin
      const state = await adoptWhole(dir);
      if (state.state === "running") running.push(state);
    }
    this.#measured = await this.#sampler.measure(running, Date.now(), quietMs);
  }
}
