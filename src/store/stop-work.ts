// Has a session stop what it does, or leave what it was about to do. It ends in its own time, by whoever works on it.
import type { NewFact } from "../session/event.ts";
import { seqOf } from "../session/position.ts";
import type { Store, Writer } from "./store.ts";

/** A session that changes under us as often as this is not standing still long enough to be stopped. */
const TRIES_MAX = 50;

/** `by` is asked anew for each try: a keeper's key is good for one append. */
export async function stopWork(
  store: Pick<Store, "view" | "append">,
  session: string,
  by: (seq: number) => Writer,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const view = await store.view(session);
    if (!view || view.ended) return;
    const { turn, queue } = view;
    const facts: NewFact[] = turn
      ? turn.stopRequested
        ? []
        : [{ type: "stop_requested", data: { turn: turn.id } }]
      : queue.map(({ input }) => ({ type: "input_withdrawn", data: { input } }));
    if (facts.length === 0) return;
    const seq = seqOf(view.position);
    const stopped = await store.append(session, facts, by(seq), { expectSeq: seq });
    if (stopped.ok || stopped.code !== "moved") return;
  }
  throw new Error(`${session} changed too fast to be stopped`);
}
