// What no call waits for has nobody else to tell its end: what runs in the background, what a command left running, what a
// turn could not end, and what a deleted session has left. It is found again after a restart, waited for, and told once, to the session that it is of.
import type { Clock } from "../executor/clock.ts";
import type { CommandEnd } from "../executor/commands.ts";
import type { NewFact } from "../session/event.ts";
import { openCalls } from "../session/next-step.ts";
import { seqOf } from "../session/position.ts";
import type { ProcessRow, Store } from "../store/store.ts";
import type { MachineProcesses } from "./machine-processes.ts";
import { NowAndThen } from "./now-and-then.ts";
import { runningProcesses } from "./running-processes.ts";

export type ProcessEndsOptions = {
  store: Store;
  /** Of this machine: others watch their own. */
  host: string;
  processes: MachineProcesses;
  clock: Clock;
  sweepMs: number;
  log: { error(detail: object, message: string): void };
};

/** Whoever begins a process claims its directory within seconds; after so long nobody will. */
const UNCLAIMED_MS = 10 * 60_000;

export class ProcessEnds {
  readonly #options: ProcessEndsOptions;
  readonly #over = new AbortController();
  readonly #watched = new Map<string, Promise<void>>();
  readonly #sweeps: NowAndThen;

  constructor(options: ProcessEndsOptions) {
    const { clock, sweepMs } = options;
    this.#options = options;
    this.#sweeps = new NowAndThen({
      clock,
      everyMs: sweepMs,
      look: () => this.#sweep(),
      failed: (error) => this.#failed(error),
    });
  }

  /** The sweep finds what another server began, and what was begun since. */
  start(): void {
    this.#sweeps.start();
  }

  look(): void {
    this.#sweeps.look();
  }

  /** What runs goes on. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#sweeps.stop();
    await Promise.all(this.#watched.values());
  }

  async #sweep(): Promise<void> {
    const { store, host } = this.#options;
    for await (const row of runningProcesses(store, host)) {
      if (this.#over.signal.aborted) return;
      await this.#watch(row);
    }
  }

  async #watch(row: ProcessRow): Promise<void> {
    if (this.#watched.has(row.id) || this.#over.signal.aborted) return;
    if (!(await this.#isLeft(row)) || !(await this.#hasBegun(row))) return;
    const done = this.#untilOver(row)
      .catch((error: unknown) => this.#failed(error, row.id))
      .finally(() => this.#watched.delete(row.id));
    this.#watched.set(row.id, done);
  }

  /** Between turns no call waits for anything. */
  async #isLeft({ id, background, session }: ProcessRow): Promise<boolean> {
    if (background || (await this.#options.processes.hasLeft(id))) return true;
    const status = (await this.#options.store.session(session, ""))?.status;
    return status === undefined || status === "idle" || status === "queued" || status === "ended";
  }

  /** One that nobody has claimed yet is about to begin: to adopt it now would keep it from that. */
  async #hasBegun({ id, startedAt }: ProcessRow): Promise<boolean> {
    const { processes, clock } = this.#options;
    if (await processes.isClaimed(id)) return true;
    const sinceMs = clock.now() - Date.parse(startedAt);
    return sinceMs >= UNCLAIMED_MS || sinceMs <= -UNCLAIMED_MS; // or the clock was set back
  }

  async #untilOver({ id }: ProcessRow): Promise<void> {
    const { store, processes } = this.#options;
    const end = await processes.ended(id, this.#over.signal);
    if (end) await tellEnd(store, id, end);
  }

  #failed(error: unknown, process?: string): void {
    this.#options.log.error({ err: error, process }, "the end of a process could not be told; trying again");
  }
}

/** A session that changes under us as often as this is looked at again with the next sweep. */
const TRIES_MAX = 20;

/** Unless an executor has told it, as it does of a command that never began. */
async function tellEnd(store: Store, process: string, end: CommandEnd): Promise<void> {
  const writer = { by: "keeper", keeper: "processes", key: `exit:${process}` } as const;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const row = await store.process(process);
    if (row?.status !== "running") return;
    const head = (await store.session(row.session, ""))?.head ?? row.session; // whoever goes on from it
    const view = await store.view(head);
    if (!view) return store.forgetProcess(process);
    if (!view.processes.some((known) => known.process === process)) return;
    if (openCalls(view).some((call) => call.process === process)) return; // whoever attends to it tells both ends
    const expectSeq = seqOf(view.position);
    const told = await store.append(head, [endOf(process, end)], writer, { expectSeq });
    if (told.ok || (told.code !== "moved" && told.code !== "ended")) return;
  }
}

function endOf(process: string, end: CommandEnd): NewFact {
  switch (end.state) {
    case "exited":
      return { type: "process_exited", data: { process, exit: end.exit, cause: end.cause } };
    case "lost":
      return { type: "process_lost", data: { process } };
    case "unstarted":
      return { type: "process_exited", data: { process, exit: null, cause: "unstarted" } };
  }
}
