// The topic "asks": what waits for an answer, in any session. An ask does not change while it is open, so all there is to
// tell is which came and which went; each socket's own list says what it has not heard yet.
import type { AskRow, Store } from "../store/store.ts";
import { ChangedSessions } from "./changed-sessions.ts";
import { serverFrame } from "./socket-frame.ts";
import type { Topic, Watcher } from "./topic.ts";

const WHOLE_MAX = 200;
/** So few sessions are looked at together that a page holds all their open asks. */
const SESSIONS_MAX = 100;
const PAGE_MAX = 2_000;

type Watching = {
  /** The open asks that it was told of, each with its session. */
  told: Map<string, string>;
  /** Sessions that changed while the whole list was being read: looked at after it. */
  meanwhile: Set<string> | undefined;
};

export class AskRows implements Topic {
  readonly #store: Store;
  readonly #watching = new Map<Watcher, Watching>();
  readonly #changes: ChangedSessions;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store;
    this.#changes = new ChangedSessions(store, (ids) => this.#flush(ids), onError);
  }

  async watch(watcher: Watcher): Promise<void> {
    const watching: Watching = { told: new Map(), meanwhile: new Set() };
    this.#watching.set(watcher, watching);
    this.#changes.listen();
    const { items } = await this.#store.asks({ open: true, limit: WHOLE_MAX });
    if (this.#watching.get(watcher) !== watching) return;
    for (const { id, session } of items) watching.told.set(id, session);
    watcher.send(serverFrame({ op: "rows", topic: "asks", rows: items, whole: true }));
    const meanwhile = watching.meanwhile ?? [];
    watching.meanwhile = undefined;
    for (const session of meanwhile) this.#changes.add(session);
  }

  leave(watcher: Watcher): void {
    this.#watching.delete(watcher);
    if (this.#watching.size === 0) this.close();
  }

  close(): void {
    this.#changes.close();
  }

  async #flush(sessions: readonly string[]): Promise<void> {
    for (let from = 0; from < sessions.length; from += SESSIONS_MAX) {
      const some = new Set(sessions.slice(from, from + SESSIONS_MAX));
      const { items } = await this.#store.asks({ open: true, sessions: [...some], limit: PAGE_MAX });
      for (const [watcher, { told, meanwhile }] of this.#watching) {
        if (meanwhile) for (const session of some) meanwhile.add(session);
        const frame = meanwhile ? undefined : changeFrame(told, some, items);
        if (frame) watcher.send(frame);
      }
    }
  }
}

/** Brings `told` up to date; undefined when it was. */
function changeFrame(
  told: Map<string, string>,
  sessions: ReadonlySet<string>,
  open: readonly AskRow[],
): Buffer | undefined {
  const ids = new Set(open.map(({ id }) => id));
  const gone = [...told].flatMap(([id, session]) => (sessions.has(session) && !ids.has(id) ? [id] : []));
  const rows = open.filter(({ id }) => !told.has(id));
  for (const id of gone) told.delete(id);
  for (const { id, session } of rows) told.set(id, session);
  if (rows.length + gone.length === 0) return undefined;
  return serverFrame({ op: "rows", topic: "asks", rows, ...(gone.length > 0 && { gone }), whole: false });
}
