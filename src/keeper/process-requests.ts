// Effects on processes that a person or an agent asked for: rows of the store, carried out once by a node of their host.
import type { Clock } from "../executor/clock.ts";
import type { ProcessRequest, Store } from "../store/store.ts";
import type { MachineProcesses } from "./machine-processes.ts";
import { NowAndThen } from "./now-and-then.ts";

export type ProcessRequestsOptions = {
  store: Store;
  processes: MachineProcesses;
  clock: Clock;
  pollMs: number;
  log: { error(detail: object, message: string): void };
};

export class ProcessRequests {
  readonly #options: ProcessRequestsOptions;
  readonly #over = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly #looks: NowAndThen;
  #service: Promise<void> | undefined;

  constructor(options: ProcessRequestsOptions) {
    const { clock, pollMs, log } = options;
    this.#options = options;
    this.#looks = new NowAndThen({
      clock,
      everyMs: pollMs,
      look: () => this.#take(),
      failed: (error) => log.error({ err: error }, "requests could not be taken"),
    });
  }

  start(): void {
    const { store } = this.#options;
    this.#looks.start();
    this.#service = (async () => {
      for await (const ids of store.changes(this.#over.signal))
        if (ids.values().some((id) => id.startsWith("prc_"))) this.#looks.look();
    })();
  }

  /** What was begun is finished; what was not stays in the store. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#looks.stop();
    await Promise.all(this.#working);
    await this.#service;
  }

  async #take(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const taken = await this.#options.store.takeRequests();
      for (const { request, again } of taken) this.#begin(request, again);
      if (taken.length === 0) return;
    }
  }

  #begin(request: ProcessRequest, again: boolean): void {
    const { store, processes, log } = this.#options;
    const done = processes
      .carryOut(request.process, request.wish, again)
      .catch((error: unknown) => {
        log.error({ err: error, request }, "a request for a process failed");
        return `failed: ${error instanceof Error ? error.message : String(error)}`;
      })
      .then((outcome) => store.finishRequest(request.id, outcome))
      .catch((error: unknown) => log.error({ err: error, request }, "an outcome could not be kept"))
      .finally(() => this.#working.delete(done));
    this.#working.add(done);
  }
}
