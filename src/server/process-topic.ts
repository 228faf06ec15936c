// The topic "processes": what runs, in any session. Which came and which went follows from what sessions tell; how those
// that stay are doing is looked at now and then.
import type { Process } from "../protocol/http.ts";
import type { Context } from "./context.ts";
import { ChangedSessions } from "./changed-sessions.ts";
import { wireProcess } from "./process-rows.ts";
import { ProcessesElsewhere } from "./processes-elsewhere.ts";
import { serverFrame } from "./socket-frame.ts";
import type { Topic, Watcher } from "./topic.ts";

const WHOLE_MAX = 200;
/** As often as they are measured. */
const LOOK_MS = 5_000;

type Watching = {
  /** What it was told of each, but for what changes by itself with time. */
  told: Map<string, string>;
  isWhole: boolean;
};

export class ProcessRows implements Topic {
  readonly #context: Context;
  readonly #onError: (error: unknown) => void;
  readonly #watching = new Map<Watcher, Watching>();
  readonly #changes: ChangedSessions;
  readonly #elsewhere: ProcessesElsewhere;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Context, onError: (error: unknown) => void) {
    this.#context = context;
    this.#onError = onError;
    this.#changes = new ChangedSessions(context.store, () => this.#look(), onError);
    const heard = () => void this.#look().catch(onError);
    this.#elsewhere = new ProcessesElsewhere(context, LOOK_MS, heard, onError);
  }

  async watch(watcher: Watcher): Promise<void> {
    const watching: Watching = { told: new Map(), isWhole: false };
    this.#watching.set(watcher, watching);
    this.#changes.listen();
    this.#timer ??= setInterval(() => void this.#look().catch(this.#onError), LOOK_MS).unref();
    this.#tell(watcher, watching, await this.#running(watcher));
  }

  leave(watcher: Watcher): void {
    this.#watching.delete(watcher);
    if (this.#watching.size === 0) this.close();
  }

  close(): void {
    this.#changes.close();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const [anyone] = this.#watching.keys(); // they all may see the same
    if (!anyone) return;
    const running = await this.#running(anyone);
    for (const [watcher, watching] of this.#watching)
      if (watching.isWhole) this.#tell(watcher, watching, running);
  }

  async #running({ headers }: Watcher): Promise<Process[]> {
    const { items } = await this.#context.store.processes({ running: true, limit: WHOLE_MAX });
    const elsewhere = this.#elsewhere.of(items, WHOLE_MAX, headers);
    return Promise.all(
      items.map(async (row) => elsewhere.get(row.id) ?? (await wireProcess(this.#context, row))),
    );
  }

  #tell(watcher: Watcher, watching: Watching, running: readonly Process[]): void {
    if (this.#watching.get(watcher) !== watching) return;
    const whole = !watching.isWhole;
    watching.isWhole = true;
    const { told } = watching;
    const rows = running.filter((row) => told.get(row.id) !== lasting(row));
    const ids = new Set(running.map(({ id }) => id));
    const gone = [...told.keys()].filter((id) => !ids.has(id));
    for (const id of gone) told.delete(id);
    for (const row of rows) told.set(row.id, lasting(row));
    if (!whole && rows.length + gone.length === 0) return;
    watcher.send(
      serverFrame({ op: "rows", topic: "processes", rows, ...(gone.length > 0 && { gone }), whole }),
    );
  }
}

/** A row is worth sending again when this has changed. */
function lasting({ class: how, status, pid, ports, holdsReset, outputTail }: Process): string {
  return JSON.stringify([how, status, pid, ports, holdsReset, outputTail]);
}
