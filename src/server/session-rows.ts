// The topic "sessions": every watching socket gets the list whole, then the rows that changed. Beside the list it has all
// that is at work: sessions from further down, and delegates, which stand under the session that they work for. Rows are
// read once for each person who watches, and the frame shared by that person's sockets.
import type { Status } from "../session/row.ts";
import type { SessionRow, Store } from "../store/store.ts";
import { ChangedSessions } from "./changed-sessions.ts";
import type { KnownDamage } from "./known-damage.ts";
import { wireRow } from "./rows.ts";
import { serverFrame } from "./socket-frame.ts";
import type { Topic, Watcher } from "./topic.ts";

const WHOLE_MAX = 200;
const READ_MAX = 200;
const AT_WORK: readonly Status[] = ["running", "recovering", "waiting", "queued"];
/** Of each status; what lies beyond comes with its next change. */
const AT_WORK_MAX = 100;

type Watching = Watcher & {
  /** What changed while the whole list was being read: sent after it. */
  meanwhile: Set<string> | undefined;
};

export class SessionRows implements Topic {
  readonly #store: Store;
  readonly #damage: KnownDamage;
  readonly #watching = new Map<Watcher, Watching>();
  readonly #changes: ChangedSessions;

  constructor(store: Store, damage: KnownDamage, onError: (error: unknown) => void) {
    this.#store = store;
    this.#damage = damage;
    this.#changes = new ChangedSessions(store, (ids) => this.#flush(ids), onError);
    damage.tells((log) => this.#changes.add(log));
  }

  /** Again for one that watches already: it is given the list anew. */
  async watch(watcher: Watcher): Promise<void> {
    const watching: Watching = { ...watcher, meanwhile: new Set() };
    this.#watching.set(watcher, watching);
    this.#changes.listen();
    const rows = await this.#whole(watcher.person);
    if (this.#watching.get(watcher) !== watching) return;
    watcher.send(
      serverFrame({
        op: "rows",
        topic: "sessions",
        rows: rows.map((row) => wireRow(row, this.#damage)),
        whole: true,
      }),
    );
    const meanwhile = watching.meanwhile ?? [];
    watching.meanwhile = undefined;
    for (const id of meanwhile) this.#changes.add(id);
  }

  leave(watcher: Watcher): void {
    this.#watching.delete(watcher);
    if (this.#watching.size === 0) this.close();
  }

  close(): void {
    this.#changes.close();
  }

  async #flush(ids: readonly string[]): Promise<void> {
    const persons = Map.groupBy(this.#watching.values(), ({ person }) => person);
    for (const [person, watching] of persons) {
      for (let from = 0; from < ids.length; from += READ_MAX) {
        const some = ids.slice(from, from + READ_MAX);
        const frame = this.#changeFrame(some, await this.#rowsWithParents(some, person));
        for (const each of watching) {
          if (each.meanwhile === undefined) each.send(frame);
          else for (const id of some) each.meanwhile.add(id);
        }
      }
    }
  }

  async #whole(person: string): Promise<SessionRow[]> {
    const [newest, ...atWork] = await Promise.all([
      this.#store.sessions({ limit: WHOLE_MAX }, person),
      ...AT_WORK.map((status) => this.#store.sessions({ status, heads: false, limit: AT_WORK_MAX }, person)),
    ]);
    const rows = [...newest.items, ...atWork.flatMap(({ items }) => items.filter(isShown))];
    return [...new Map(rows.map((row) => [row.id, row])).values()];
  }

  /** What a delegate asks shows on the session that it works for. */
  async #rowsWithParents(ids: readonly string[], person: string): Promise<SessionRow[]> {
    const found = new Map<string, SessionRow>();
    let wanted = [...ids];
    for (let level = 0; wanted.length > 0 && level <= DELEGATION_DEPTH_MAX; level++) {
      const rows = await this.#store.sessionsById(wanted, person);
      for (const row of rows) found.set(row.id, row);
      wanted = rows.flatMap(({ origin }) =>
        origin?.kind === "delegation" && !found.has(origin.session) ? [origin.session] : [],
      );
    }
    return [...found.values()];
  }

  /** What is no longer in the list is gone from it, whether it was deleted, has a successor or was a delegate. */
  #changeFrame(ids: readonly string[], found: readonly SessionRow[]): Buffer {
    const listed = found.filter(isShown);
    const left = new Set(ids);
    for (const { id } of listed) left.delete(id);
    return serverFrame({
      op: "rows",
      topic: "sessions",
      rows: listed.map((row) => wireRow(row, this.#damage)),
      ...(left.size > 0 && { gone: [...left] }),
      whole: false,
    });
  }
}

const DELEGATION_DEPTH_MAX = 3;

/** As in GET /api/sessions: heads of lineages, without tasks' sessions; and delegates for as long as they work. */
function isShown({ id, head, origin, status }: SessionRow): boolean {
  if (head !== id || origin?.kind === "task") return false;
  return origin?.kind !== "delegation" || AT_WORK.includes(status);
}
