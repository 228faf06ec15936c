// What runs in the background is nobody's call any more, so its end is told here: found again after a restart, waited for,
// and appended once, to the session that began it or to the one that goes on from it.
import { join } from "node:path";
import { readClaim } from "../process/directory.ts";
import { adopt, waitExit, type EndedProcess } from "../process/state.ts";
import type { NewFact } from "../session/event.ts";
import { seqOf } from "../session/position.ts";
import type { ProcessRow, Store } from "../store/store.ts";

export type ProcessEndsOptions = {
  store: Store;
  /** Of this machine: others watch their own. */
  host: string;
  /** HOLDFAST_HOME/processes */
  folder: string;
  sweepMs: number;
  log: { error(detail: object, message: string): void };
};

const PAGE = 200;
/** Whoever begins a process claims its directory within seconds; after so long nobody will. */
const UNCLAIMED_MS = 10 * 60_000;

export class ProcessEnds {
  readonly #options: ProcessEndsOptions;
  readonly #over = new AbortController();
  readonly #watched = new Map<string, Promise<void>>();
  #sweeping: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProcessEndsOptions) {
    this.#options = options;
  }

  /** The sweep finds what another server began, and what was begun since. */
  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), this.#options.sweepMs);
  }

  /** One look at a time; one that is asked for meanwhile follows. */
  look(): void {
    this.#again = this.#sweeping !== undefined;
    this.#sweeping ??= this.#sweep()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#sweeping = undefined;
        if (this.#again && !this.#over.signal.aborted) this.look();
      });
  }

  /** What runs goes on. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#over.abort();
    await this.#sweeping;
    await Promise.all(this.#watched.values());
  }

  async #sweep(): Promise<void> {
    const { store, host } = this.#options;
    let after: string | undefined;
    do {
      const page = await store.processes({
        running: true,
        host,
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      for (const row of page.items) if (row.background) await this.#watch(row);
      after = page.next ?? undefined;
    } while (after !== undefined && !this.#over.signal.aborted);
  }

  /** One that nobody has claimed yet is about to begin: to adopt it now would keep it from that. */
  async #watch(row: ProcessRow): Promise<void> {
    if (this.#watched.has(row.id) || this.#over.signal.aborted) return;
    const claim = await readClaim(this.#dir(row));
    if (claim === undefined && Date.now() - Date.parse(row.startedAt) < UNCLAIMED_MS) return;
    const done = this.#untilOver(row)
      .catch((error: unknown) => this.#failed(error, row.id))
      .finally(() => this.#watched.delete(row.id));
    this.#watched.set(row.id, done);
  }

  async #untilOver(row: ProcessRow): Promise<void> {
    const found = await adopt(this.#dir(row));
    const state = found.state === "running" ? await waitExit(found, this.#over.signal) : found;
    if (state.state !== "running") await tellEnd(this.#options.store, row, state);
  }

  #dir({ id }: ProcessRow): string {
    return join(this.#options.folder, id);
  }

  #failed(error: unknown, process?: string): void {
    this.#options.log.error({ err: error, process }, "the end of a process could not be told; trying again");
  }
}

/** A session that changes under us as often as this is looked at again with the next sweep. */
const TRIES_MAX = 20;

/** Unless an executor has told it, as it does of a command that never began. */
async function tellEnd(store: Store, { id, session }: ProcessRow, state: EndedProcess): Promise<void> {
  const writer = { by: "keeper", keeper: "processes", key: `exit:${id}` } as const;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const view = await store.view(session);
    if (!view) return store.forgetProcess(id);
    if (view.ended) {
      const head = (await store.session(session, ""))?.head;
      if (head !== undefined && head !== session) await store.append(head, [endOf(id, state)], writer);
      return;
    }
    if (!view.processes.some(({ process }) => process === id)) return;
    const expectSeq = seqOf(view.position);
    const told = await store.append(session, [endOf(id, state)], writer, { expectSeq });
    if (told.ok || (told.code !== "moved" && told.code !== "ended")) return;
  }
}

function endOf(process: string, state: EndedProcess): NewFact {
  switch (state.state) {
    case "exited":
      return { type: "process_exited", data: { process, exit: state.exit, cause: state.cause } };
    case "lost":
      return { type: "process_lost", data: { process } };
    case "unstarted":
      return { type: "process_exited", data: { process, exit: null, cause: "unstarted" } };
  }
}
