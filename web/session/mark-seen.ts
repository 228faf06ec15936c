// How far this person has read: told to the server when the tab is visible, the session on screen and its end in view.
import { createEffect, createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import { formatPosition, seqOf, START, type Position } from "../../src/session/position.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";

/** While text streams in, once in a while is enough. */
const APART_MS = 400;

export function markSeen({ id, session }: Followed, isAtEnd: Accessor<boolean>): void {
  const { client, connection } = useDashboard();
  const isVisible = createVisibility();
  /** Of the last fact: drafts are no news. */
  const position = createMemo(() => session.view && formatPosition(seqOf(session.view.position), 0));
  let sent = START;
  let toldAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  createEffect(() => {
    const read = position();
    const isConnected = connection().state === "connected";
    if (!read || !isVisible() || !isAtEnd() || !isConnected || read <= sent) return;
    clearTimeout(timer);
    timer = setTimeout(() => void tell(read), Math.max(0, toldAt + APART_MS - Date.now()));
  });

  async function tell(position: Position): Promise<void> {
    toldAt = Date.now();
    try {
      await client.setSeen(id, position);
      if (position > sent) sent = position;
    } catch (error) {
      // Not told this time: the next fact, or the next connection, brings another try.
      if (!(error instanceof ProblemError || error instanceof Unreachable)) throw error;
    }
  }
}

function createVisibility(): Accessor<boolean> {
  const [isVisible, setVisible] = createSignal(!document.hidden);
  const look = () => setVisible(!document.hidden);
  document.addEventListener("visibilitychange", look);
  onCleanup(() => document.removeEventListener("visibilitychange", look));
  return isVisible;
}
