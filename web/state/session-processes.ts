// The processes of one session as they are now: those of its lineage and of its delegates, as the server sees that scope.
// The socket tells of everything that runs; what it tells of strangers is asked about once and then left alone.
import { createSignal, onCleanup, type Accessor } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import type { Client, Process } from "../../src/client/commands.ts";
import type { ProcessRowsFrame, Socket } from "../../src/client/socket.ts";
import { failureWords } from "../failure-words.ts";

export type SessionProcesses = {
  /** Newest first. */
  readonly items: readonly Process[];
  readonly isHere: Accessor<boolean>;
  /** There are more than are shown. */
  readonly hasMore: Accessor<boolean>;
  readonly failure: Accessor<string | undefined>;
};

const SHOWN_MAX = 50;
const STRANGERS_MAX = 5_000;

/** For as long as the calling component is there. */
export function createSessionProcesses(
  session: string,
  client: Pick<Client, "processes">,
  socket: Pick<Socket, "watchProcesses">,
): SessionProcesses {
  const [state, setState] = createStore({ items: [] as Process[] });
  const [isHere, setHere] = createSignal(false);
  const [hasMore, setHasMore] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const strangers = new Set<string>();
  let isLoading = false;
  /** Something came while we were asking, so the answer may not know it. */
  let isStale = false;
  const left = new AbortController();

  const stopWatching = socket.watchProcesses(take);
  onCleanup(() => {
    stopWatching();
    left.abort();
  });

  return {
    get items() {
      return state.items;
    },
    isHere,
    hasMore,
    failure,
  };

  function take({ rows, gone = [], whole }: ProcessRowsFrame): void {
    const isOurs = (id: string) => state.items.some((item) => item.id === id);
    for (const row of rows) {
      const at = state.items.findIndex(({ id }) => id === row.id);
      if (at >= 0) setState("items", at, reconcile(row));
    }
    const unknown = rows.filter(({ id }) => !isOurs(id) && !strangers.has(id));
    if (whole || unknown.length > 0 || gone.some(isOurs)) void load(unknown.map(({ id }) => id));
  }

  async function load(unknown: readonly string[]): Promise<void> {
    if (isLoading) {
      isStale = true;
      return;
    }
    isLoading = true;
    try {
      do {
        isStale = false;
        const page = await client.processes({ session, all: true, limit: SHOWN_MAX }, left.signal);
        setState("items", reconcile(page.items, { key: "id" }));
        setHasMore(page.next !== null);
        setHere(true);
        setFailure(undefined);
      } while (isStale);
      remember(unknown.filter((id) => !state.items.some((item) => item.id === id)));
    } catch (error) {
      if (!left.signal.aborted) setFailure(failureWords(error));
    } finally {
      isLoading = false;
    }
  }

  function remember(ids: readonly string[]): void {
    if (strangers.size + ids.length > STRANGERS_MAX) strangers.clear();
    for (const id of ids) strangers.add(id);
  }
}
