// The rows of the sidebar: all that the server gives, kept true by its changes.
import { batch, createMemo, onCleanup, type Accessor } from "solid-js";
import { createStore, produce, reconcile } from "solid-js/store";
import { liveList } from "../../src/client/live-list.ts";
import type { RowsFrame, Socket } from "../../src/client/socket.ts";
import type { SessionRow } from "../../src/protocol/http.ts";

export type SessionList = {
  /** False until the first rows have come. */
  readonly isHere: boolean;
  readonly rows: Accessor<readonly SessionRow[]>;
  row(session: string): SessionRow | undefined;
  /** The server watches the newest for us; there may be more behind them. */
  readonly hasOlder: boolean;
  loadOlder(): Promise<void>;
  /** Told of the rows as they come. */
  onRows(hear: (rows: readonly SessionRow[]) => void): () => void;
};

type OlderPage = { items: SessionRow[]; next: string | null };

/** How many rows the server gives at most, watched or asked for. */
const PAGE_ROWS = 200;

export function createSessionList(
  socket: Pick<Socket, "watchSessions">,
  readPage: (page: { limit: number; after?: string }) => Promise<OlderPage>,
): SessionList {
  const [state, setState] = createStore({
    isHere: false,
    byId: {} as Record<string, SessionRow>,
    /** Where the next page begins; undefined: behind the rows that are watched. */
    next: undefined as string | null | undefined,
  });
  const hearers = new Set<(rows: readonly SessionRow[]) => void>();
  const list = liveList(socket, (frame) => batch(() => take(frame)));
  onCleanup(() => list.leave());
  const rows = createMemo(() => inOrder(Object.values(state.byId)));

  return {
    get isHere() {
      return state.isHere;
    },
    rows,
    row: (session) => state.byId[session],
    get hasOlder() {
      return state.next !== null && rows().length >= PAGE_ROWS;
    },
    onRows(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
    async loadOlder() {
      // The watched rows came without the mark at which they end.
      const after = state.next ?? (await readPage({ limit: PAGE_ROWS })).next;
      if (after === null) return setState("next", null);
      const page = await readPage({ limit: PAGE_ROWS, after });
      batch(() => {
        for (const row of page.items) setState("byId", row.id, reconcile(row));
        setState("next", page.next);
      });
    },
  };

  function take(frame: RowsFrame): void {
    hearers.forEach((hear) => hear(frame.rows));
    if (frame.whole) {
      setState("byId", reconcile(Object.fromEntries(frame.rows.map((row) => [row.id, row]))));
      setState({ isHere: true, next: undefined });
      return;
    }
    for (const row of frame.rows) setState("byId", row.id, reconcile(row));
    setState(
      "byId",
      produce((byId) => {
        for (const id of frame.gone ?? []) delete byId[id];
      }),
    );
  }
}

/** As the server orders its pages: pinned first, then by the last that happened. */
export function inOrder(rows: readonly SessionRow[]): SessionRow[] {
  return rows
    .filter(({ archived }) => !archived)
    .toSorted(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) || compare(b.updatedAt, a.updatedAt) || compare(b.id, a.id),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
