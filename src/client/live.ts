// A session as it is now: its view, folded from what a subscription brings. The dashboard's pane and the CLI's attach
// are both drawn from this.
import { apply, type Touched } from "../session/apply.ts";
import { isDraft } from "../session/draft.ts";
import type { AnyEvent } from "../session/event.ts";
import type { View } from "../session/view.ts";
import type { Delivery } from "./attachment.ts";
import type { Attached } from "./socket.ts";

export type Change =
  | { type: "event"; event: AnyEvent; touched: Touched; isReplay: boolean }
  | Exclude<Delivery, { type: "events" }>;

export type LiveSession = {
  /** The same object for as long as it is only added to; null until it is there. */
  readonly view: View | null;
  leave(): void;
};

/** `subscribe` is the socket's attach, or a replay of the whole; `view` is where that begins. */
export function liveSession(
  view: View | null,
  subscribe: (deliver: (delivery: Delivery) => void) => Attached,
  changed: (change: Change, view: View) => void,
): LiveSession {
  const live = { view, leave: () => attached.leave() };
  /** A new view was asked for since the last fact. */
  let asked = false;

  const attached = subscribe((delivery) => {
    if (delivery.type === "resync") live.view = delivery.view;
    if (delivery.type === "events") {
      for (const event of delivery.events) fold(event, delivery.isReplay);
      return;
    }
    if (live.view) changed(delivery, live.view);
  });
  return live;

  function fold(event: AnyEvent, isReplay: boolean): void {
    if (!live.view) return;
    const touched = apply(live.view, event);
    if (touched.outcome === "skipped") return;
    if (touched.outcome === "applied") {
      if (!isDraft(event)) asked = false;
      return changed({ type: "event", event, touched, isReplay }, live.view);
    }
    // A draft that does not fit may not fit the new view either; its fact will bring the whole.
    if (asked) return;
    asked = true;
    attached.resync();
  }
}
