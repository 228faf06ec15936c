// How far this person has read: told to the server when the tab is visible, the session on screen and its end in view.
import { createEffect, createMemo, onCleanup, type Accessor } from "solid-js";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import { formatPosition, seqOf, START, type Position } from "../../src/session/position.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";

/** While text streams in, once in a while is enough. */
const APART_MS = 400;

/** `isSeen`: the tab is visible and the end in view. */
export function markSeen({ id, session, away }: Followed, isSeen: Accessor<boolean>): void {
  const { client, connection } = useDashboard();
  /** Of the last fact: drafts are no news. */
  const position = createMemo(() => session.view && formatPosition(seqOf(session.view.position), 0));
  let sent = START;
  let toldAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Of what is on its way: it arrives when someone only looks elsewhere, and has no place to go once the session is gone. */
  const gone = new AbortController();
  onCleanup(() => {
    clearTimeout(timer);
    if (session.refused?.code === "not_found") gone.abort();
  });

  createEffect(() => {
    const read = position();
    const isConnected = connection().state === "connected";
    // Not before the server has said what was missed: it counts from what has been seen.
    if (!read || !isSeen() || !isConnected || !away.isKnown) return;
    away.sawAll();
    if (read <= sent) return;
    clearTimeout(timer);
    timer = setTimeout(() => void tell(read), Math.max(0, toldAt + APART_MS - Date.now()));
  });

  async function tell(position: Position): Promise<void> {
    toldAt = Date.now();
    try {
      await client.setSeen(id, position, gone.signal);
      if (position > sent) sent = position;
    } catch (error) {
      if (gone.signal.aborted) return;
      // Not told this time: the next fact, or the next connection, brings another try.
      if (!(error instanceof ProblemError || error instanceof Unreachable)) throw error;
    }
  }
}
