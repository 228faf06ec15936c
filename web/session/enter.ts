// What Enter does now, in words: the composer's placeholder and its button say the same.
import type { Position } from "../../src/session/position.ts";
import type { OpenAsk, View } from "../../src/session/view.ts";
import type { Asked } from "../state/departures.ts";
import type { UsualWay, Way } from "../state/outbox.ts";

export type Enter = {
  way: Way;
  /** What the button says. */
  verb: "Send" | "Queue" | "Steer" | "Answer" | "Begin";
  /** For the placeholder, after the key's name: "queues it after this turn". */
  does: string;
  /** What the other combination does; null when there is nothing to choose. */
  other: { way: UsualWay; does: string } | null;
  /** The question that it answers. */
  answers: string | null;
  /** A question is open that this was not begun for: it was asked later, or another was asked first. */
  isPast: boolean;
  /** That other one is closed. */
  isLate: boolean;
};

type Situation = Pick<View, "asks" | "turn" | "queue" | "held">;

export type Writing = {
  /** What was chosen beside the composer. */
  way: UsualWay;
  hasFiles: boolean;
  /** See Outbox. */
  begun: Position | null;
  asked: readonly Asked[] | null;
  /** Asks whose answer is on its way. */
  answered: readonly (string | null)[];
};

export function whatEnterDoes(view: Situation, writing: Writing): Enter {
  const { way: chosen, hasFiles, begun, asked, answered } = writing;
  const { asks, turn, queue, held } = view;
  const open = asks.filter(({ ask }) => !answered.includes(ask));
  const questions = open.filter(({ kind }) => kind === "clarify");
  const first = asked?.find(({ kind }) => kind === "clarify");
  const question = questions.find(({ ask, position }) =>
    asked === null ? begun === null || position <= begun : ask === first?.ask,
  );
  const isPast = questions.length > 0 && !question && !hasFiles;
  const isLate = isPast && first !== undefined;
  const plain = { way: "queue", verb: "Queue", other: null, answers: null, isPast, isLate } as const;
  if (question) {
    if (!hasFiles) return { ...plain, verb: "Answer", does: "answers the question", answers: question.ask };
    // An answer has no files, so with one it is an input like any other.
    return { ...plain, does: "queues it: an answer takes no files" };
  }
  if (turn?.stopRequested) return { ...plain, does: "queues it: the turn is being stopped" };
  if (turn) {
    const other = chosen === "queue" ? "steer" : "queue";
    return {
      ...plain,
      way: chosen,
      verb: chosen === "queue" ? "Queue" : "Steer",
      does: doesInTurn(chosen, open),
      other: { way: other, does: other === "queue" ? "queues it" : "steers" },
    };
  }
  const others = queue.length === 1 ? "the one that waits" : `the ${queue.length} that wait`;
  if (held && queue.length > 0)
    return { ...plain, verb: "Send", does: `sends it behind ${others}, and they go on` };
  if (queue.length > 0) return { ...plain, verb: "Send", does: `queues it behind ${others}` };
  return { ...plain, verb: "Send", does: "sends it" };
}

function doesInTurn(way: UsualWay, [ask]: readonly OpenAsk[]): string {
  if (!ask) return way === "queue" ? "queues it after this turn" : "steers the turn that runs";
  const [one, the] =
    ask.kind === "approval" ? ["an approval", "the approval"] : ["a question", "the question"];
  return way === "queue" ? `queues it: ${one} is open` : `steers once ${the} is answered`;
}
