// Effects on processes that a person or an agent asked for: rows of the store, carried out once by a node of their host.
import { join } from "node:path";
import { writeInput } from "../process/input.ts";
import { adopt } from "../process/state.ts";
import { stopProcess, type AskSignal } from "../process/stop.ts";
import type { ProcessRequest, Store } from "../store/store.ts";

export type ProcessRequestsOptions = {
  store: Store;
  /** HOLDFAST_HOME/processes */
  folder: string;
  pollMs: number;
  log: { error(detail: object, message: string): void };
};

export class ProcessRequests {
  readonly #options: ProcessRequestsOptions;
  readonly #over = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #again = false;
  #service: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProcessRequestsOptions) {
    this.#options = options;
  }

  start(): void {
    const { store, pollMs } = this.#options;
    this.#timer = setInterval(() => this.#look(), pollMs);
    this.#look();
    this.#service = (async () => {
      for await (const ids of store.changes(this.#over.signal))
        if (ids.values().some((id) => id.startsWith("prc_"))) this.#look();
    })();
  }

  /** What was begun is finished; what was not stays in the store. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#over.abort();
    await this.#looking;
    await Promise.all(this.#working);
    await this.#service;
  }

  /** One look at a time; one that is asked for meanwhile follows. */
  #look(): void {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#looking = this.#take()
      .catch((error: unknown) => this.#options.log.error({ err: error }, "requests could not be taken"))
      .finally(() => {
        this.#looking = undefined;
        if (this.#again && !this.#over.signal.aborted) this.#look();
      });
  }

  async #take(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const taken = await this.#options.store.takeRequests();
      for (const { request, again } of taken) this.#begin(request, again);
      if (taken.length === 0) return;
    }
  }

  #begin(request: ProcessRequest, again: boolean): void {
    const { store, folder, log } = this.#options;
    const done = carryOut(join(folder, request.process), request.wish, again)
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

async function carryOut(dir: string, wish: ProcessRequest["wish"], again: boolean): Promise<string> {
  if (wish.do === "stop") {
    const { alive } = await stopProcess(dir, {
      reason: "stopped",
      ...(wish.signal !== undefined && { signal: wish.signal as AskSignal }), // as the route's schema took it
    });
    return alive.length === 0
      ? "stopped"
      : `could not be stopped: ${alive.map(({ pid, command }) => `pid ${pid} (${command})`).join(", ")}`;
  }
  // What was written can't be seen from outside, so it is not written twice.
  if (again) return "unknown: whoever wrote it died over it; look before you write again";
  const found = await adopt(dir);
  if (found.state !== "running") return "it runs no longer";
  const written = await writeInput(found, wish.text);
  if (written.ok) return "written";
  switch (written.code) {
    case "no_input":
      return "it has no standard input: it was not started with stdin";
    case "ended":
      return "it runs no longer";
    case "full":
      return `it reads no further: ${written.writtenBytes} of ${Buffer.byteLength(wish.text)} bytes were taken`;
  }
}
