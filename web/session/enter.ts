// What Enter does now, in words: the composer's placeholder and its button say the same.
import type { View } from "../../src/session/view.ts";
import type { UsualWay, Way } from "../state/outbox.ts";

export type Enter = {
  way: Way;
  /** What the button says. */
  verb: "Send" | "Queue" | "Steer" | "Answer" | "Begin";
  /** For the placeholder, after the key's name: "queues it after this turn". */
  does: string;
  /** What the other combination does; null when there is nothing to choose. */
  other: { way: UsualWay; does: string } | null;
};

type Situation = Pick<View, "asks" | "turn" | "queue" | "held">;

export function whatEnterDoes(view: Situation, chosen: UsualWay, hasFiles: boolean): Enter {
  const { asks, turn, queue, held } = view;
  if (asks.some(({ kind }) => kind === "clarify")) {
    // An answer has no files, so with one it is an input like any other.
    if (!hasFiles) return { way: "queue", verb: "Answer", does: "answers the question", other: null };
    return { way: "queue", verb: "Queue", does: "queues it: an answer takes no files", other: null };
  }
  if (turn) {
    const isAsked = asks.length > 0;
    const does: Record<UsualWay, string> = {
      queue: isAsked ? "queues it: an approval is open" : "queues it after this turn",
      steer: isAsked ? "steers once the approval is answered" : "steers the turn that runs",
    };
    if (turn.stopRequested)
      return { way: "queue", verb: "Queue", does: "queues it: the turn is being stopped", other: null };
    const other = chosen === "queue" ? "steer" : "queue";
    return {
      way: chosen,
      verb: chosen === "queue" ? "Queue" : "Steer",
      does: does[chosen],
      other: { way: other, does: other === "queue" ? "queues it" : "steers" },
    };
  }
  const others = queue.length === 1 ? "the one that waits" : `the ${queue.length} that wait`;
  if (held && queue.length > 0)
    return { way: "queue", verb: "Send", does: `sends it behind ${others}, and they go on`, other: null };
  if (queue.length > 0)
    return { way: "queue", verb: "Send", does: `queues it behind ${others}`, other: null };
  return { way: "queue", verb: "Send", does: "sends it", other: null };
}
