// What the tabs of one browser know of each other, by locks: they go with their tab, however that ends.
import { createEffect, createSignal, on, onCleanup, type Accessor } from "solid-js";

const TELLER = "holdfast:teller";
const SHOWN = "holdfast:shown:";

/** Pages over plain http from another machine have no locks; nor may they show notifications. */
const locks = (navigator as Partial<Navigator>).locks;

/** True in one tab at a time: the one that tells. */
export function createIsTeller(): Accessor<boolean> {
  const [isTeller, setTeller] = createSignal(false);
  onCleanup(hold(TELLER, { mode: "exclusive" }, () => setTeller(true)));
  return isTeller;
}

/** Lets all tabs know what someone can see in this one. */
export function showThatShown(session: Accessor<string | undefined>): void {
  const [isVisible, setVisible] = createSignal(document.visibilityState === "visible");
  const look = () => setVisible(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", look);
  onCleanup(() => document.removeEventListener("visibilitychange", look));
  createEffect(
    on([session, isVisible], ([shown, visible]) => {
      if (shown !== undefined && visible) onCleanup(hold(SHOWN + shown, { mode: "shared" }));
    }),
  );
}

export async function isShownInAnyTab(sessions: readonly string[]): Promise<boolean> {
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => sessions.some((session) => name === SHOWN + session));
}

function hold(name: string, options: { mode: LockMode }, got: () => void = () => {}): () => void {
  const left = new AbortController();
  const { promise: untilLeft, resolve: leave } = Promise.withResolvers<void>();
  const held = locks?.request(name, { ...options, signal: left.signal }, () => {
    got();
    return untilLeft;
  });
  held?.catch((error: unknown) => {
    if (!left.signal.aborted) throw error; // given up before it was got
  });
  return () => {
    leave();
    left.abort();
  };
}
