// The rows of the sidebar: all that the server gives, kept true by its changes.
import { batch, createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import { createStore, produce, reconcile, unwrap } from "solid-js/store";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import { liveList } from "../../src/client/live-list.ts";
import type { RowsFrame, Socket } from "../../src/client/socket.ts";
import type { SessionRow } from "../../src/protocol/http.ts";

export type SessionList = {
  /** False until the first rows have come. */
  readonly isHere: boolean;
  /**
   * In the server's order, without what is archived and without delegates: plain values, told anew with every change, for
   * whoever looks through all of them. A row of a list of thousands is watched by itself, with `row`.
   */
  readonly rows: Accessor<readonly SessionRow[]>;
  /** Kept true. A delegate's, too, while it works. */
  row(session: string): SessionRow | undefined;
  /** The sessions that a delegate works for, the nearest first; none for any other. */
  above(session: string): readonly string[];
  /** The agents that work for a session now, whoever was asked first standing first. */
  delegates(session: string): readonly SessionRow[];
  /** The server watches the newest for us; there may be more behind them. */
  readonly hasOlder: boolean;
  loadOlder(): Promise<void>;
  /** Told of every frame of rows as it comes. */
  onRows(hear: (frame: RowsFrame) => void): () => void;
};

type OlderPage = { items: SessionRow[]; next: string | null };

/** How many rows the server gives at most, watched or asked for. */
const PAGE_ROWS = 200;
const DELEGATION_DEPTH_MAX = 3;
const NONE: readonly SessionRow[] = [];

export function createSessionList(
  socket: Pick<Socket, "watchSessions">,
  readPage: (page: { limit: number; after?: string }) => Promise<OlderPage>,
  hidden: Accessor<ReadonlySet<string>>,
): SessionList {
  const [state, setState] = createStore({
    isHere: false,
    byId: {} as Record<string, SessionRow>,
    /** Where the next page begins; undefined: behind the rows that are watched. */
    next: undefined as string | null | undefined,
    /** Whether so many rows came that there may be more. */
    isFull: false,
  });
  /** Rises with every change. To hear it of each field of each row would take longer than to look through them. */
  const [changes, setChanges] = createSignal(0);
  const hearers = new Set<(frame: RowsFrame) => void>();
  /** How many pages someone has scrolled to. */
  let pages = 0;
  let wholes = 0;
  const list = liveList(socket, (frame) => batch(() => take(frame)));
  onCleanup(() => list.leave());
  const all = createMemo(() => {
    changes();
    return Object.values(unwrap(state.byId));
  });
  const rows = createMemo(() => {
    const out = hidden();
    return inOrder(all().filter(({ id }) => !out.has(id)));
  });
  const delegates = createMemo(() => byParent(all()), undefined, { equals: isSameBelow });

  return {
    get isHere() {
      return state.isHere;
    },
    rows,
    row: (session) => state.byId[session],
    above,
    delegates: (session) =>
      delegates()
        .get(session)
        ?.flatMap(({ id }) => state.byId[id] ?? []) ?? NONE,
    get hasOlder() {
      return state.isFull && state.next !== null;
    },
    onRows(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
    loadOlder,
  };

  function above(session: string): readonly string[] {
    const found: string[] = [];
    for (let depth = 0; depth < DELEGATION_DEPTH_MAX; depth++) {
      const origin = state.byId[found.at(-1) ?? session]?.origin;
      if (origin?.kind !== "delegation") break;
      found.push(origin.session);
    }
    return found;
  }

  async function loadOlder(): Promise<void> {
    const whole = wholes;
    const page = await readOlder(state.next);
    if (whole !== wholes) return; // read behind rows that are no longer the newest
    pages += 1;
    batch(() => {
      for (const row of page.items) setState("byId", row.id, reconcile(row));
      setState("next", page.next);
      setChanges((n) => n + 1);
    });
  }

  /** The watched rows come without the mark at which they end. */
  async function readOlder(next: string | null | undefined): Promise<OlderPage> {
    const after = next === undefined ? (await readPage({ limit: PAGE_ROWS })).next : next;
    return after === null ? { items: [], next: null } : readPage({ limit: PAGE_ROWS, after });
  }

  function take(frame: RowsFrame): void {
    put(frame);
    setChanges((n) => n + 1);
    hearers.forEach((hear) => hear(frame));
  }

  function put(frame: RowsFrame): void {
    if (frame.whole) {
      wholes += 1;
      const isFull = frame.rows.filter(isListed).length >= PAGE_ROWS;
      setState({ isHere: true, isFull });
      if (pages === 0) return replace([], undefined);
      void readAgain(wholes); // what was scrolled to stands as it was until then
    }
    for (const row of frame.rows) setState("byId", row.id, reconcile(row));
    setState(
      "byId",
      produce((byId) => {
        for (const id of frame.gone ?? []) delete byId[id];
      }),
    );
  }

  async function readAgain(whole: number): Promise<void> {
    const older: SessionRow[] = [];
    let next: string | null | undefined;
    try {
      for (let page = 0; page < pages && next !== null; page++) {
        const read = await readOlder(next);
        older.push(...read.items);
        next = read.next;
      }
    } catch (error) {
      if (!(error instanceof ProblemError || error instanceof Unreachable)) throw error;
      return; // the connection is gone again; the next one brings the whole again
    }
    if (whole === wholes) batch(() => replace(older, next));
  }

  /** By what was read and, above that, all that the socket has told since the last whole. */
  function replace(older: readonly SessionRow[], next: string | null | undefined): void {
    const byId = Object.fromEntries(older.map((row) => [row.id, row]));
    for (const [id, row] of list.rows) byId[id] = row;
    setState("byId", reconcile(byId));
    setState("next", next);
    setChanges((n) => n + 1);
  }
}

/** As the server orders its pages: pinned first, then by the last that happened. */
export function inOrder(rows: readonly SessionRow[]): SessionRow[] {
  return rows
    .filter((row) => isListed(row) && !row.archived)
    .toSorted(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) || compare(b.updatedAt, a.updatedAt) || compare(b.id, a.id),
    );
}

export function byParent(rows: readonly SessionRow[]): Map<string, SessionRow[]> {
  const delegates = rows.filter((row) => !isListed(row));
  const inOrder = delegates.toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  return Map.groupBy(inOrder, ({ origin }) => origin?.session ?? "");
}

function isSameBelow(a: Map<string, SessionRow[]>, b: Map<string, SessionRow[]>): boolean {
  return a.size === b.size && [...a].every(([parent, below]) => isSameRows(below, b.get(parent) ?? NONE));
}

function isSameRows(a: readonly SessionRow[], b: readonly SessionRow[]): boolean {
  return a.length === b.length && a.every((row, n) => row === b[n]);
}

function isListed({ origin }: SessionRow): boolean {
  return origin?.kind !== "delegation";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
