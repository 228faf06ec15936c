// What waits for an answer, in any session: one subscription for the Inbox, the page's title, the badges and the toasts.
import { batch, onCleanup } from "solid-js";
import { createStore, produce, reconcile } from "solid-js/store";
import type { AskRowsFrame, Socket } from "../../src/client/socket.ts";
import type { Ask } from "../../src/protocol/http.ts";

export type Asks = {
  /** False until the first have come. */
  readonly isHere: boolean;
  /** Oldest first: whoever waits longest is next. */
  open(): readonly Ask[];
  isOpen(ask: string): boolean;
  /** Told of asks that were raised since the first came; not of those that were there before. */
  onRaised(hear: (ask: Ask) => void): () => void;
};

export function createAsks(socket: Pick<Socket, "watchAsks">): Asks {
  const [state, setState] = createStore({ isHere: false, byId: {} as Record<string, Ask> });
  const hearers = new Set<(ask: Ask) => void>();
  onCleanup(socket.watchAsks((frame) => take(frame)));

  return {
    get isHere() {
      return state.isHere;
    },
    open: () => Object.values(state.byId).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    isOpen: (ask) => state.byId[ask] !== undefined,
    onRaised(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
  };

  function take(frame: AskRowsFrame): void {
    const raised = state.isHere ? frame.rows.filter(({ id }) => state.byId[id] === undefined) : [];
    batch(() => {
      if (frame.whole)
        setState("byId", reconcile(Object.fromEntries(frame.rows.map((ask) => [ask.id, ask]))));
      else for (const ask of frame.rows) setState("byId", ask.id, ask);
      setState(
        "byId",
        produce((byId) => {
          for (const id of frame.gone ?? []) delete byId[id];
        }),
      );
      setState("isHere", true);
    });
    for (const ask of raised) hearers.forEach((hear) => hear(ask));
  }
}

function keyOf({ openedAt, id }: Ask): string {
  return `${openedAt} ${id}`;
}
