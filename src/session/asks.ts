// What a batch of events does to the rows of asks, so that an append can write them in its own transaction: an ask is
// found, listed and answered without reading the log of its session.
import type { By, FactData, NewEvent } from "./event.ts";

export type AskState = "open" | "answered" | "expired" | "withdrawn";
export type AskAnswer = FactData<"ask_answered">["answer"];

/** Of one ask. What is opened and closed by the same batch is one change: a statement does not see its own rows. */
export type AskChange = {
  ask: string;
  opened?: AskOpened;
  closed?: AskClosed;
};
export type AskOpened = Omit<FactData<"ask_opened">, "ask"> & { openedAt: string };
export type AskClosed = {
  state: Exclude<AskState, "open">;
  answer?: AskAnswer;
  closedBy: By;
  closedAt: string;
};

/** The key of the timer by which an ask expires. */
export function askTimer(ask: string): string {
  return `${ASK_TIMER}${ask}`;
}

/** The ask that a timer's key names, if it is one of these. */
export function askOfTimer(key: string): string | undefined {
  return key.startsWith(ASK_TIMER) ? key.slice(ASK_TIMER.length) : undefined;
}

const ASK_TIMER = "expire:";

export function askChanges(events: readonly NewEvent[], at: string, by: By): AskChange[] {
  let changes: AskChange[] = [];
  for (const event of events) {
    const change = changeBy(event, at, by);
    if (change) changes = followedBy(changes, [change]);
  }
  return changes;
}

/** The changes of two batches that are written as one. An ask is closed once: the first that closes it counts. */
export function followedBy(first: readonly AskChange[], second: readonly AskChange[]): AskChange[] {
  const changes = [...first];
  for (const change of second) {
    const at = changes.findIndex(({ ask }) => ask === change.ask);
    const before = changes[at];
    if (before) changes[at] = { ...change, ...before };
    else changes.push(change);
  }
  return changes;
}

function changeBy(event: NewEvent, at: string, by: By): AskChange | undefined {
  switch (event.type) {
    case "ask_opened": {
      const { ask, ...data } = event.data;
      return { ask, opened: { ...data, openedAt: at } };
    }
    case "ask_answered": {
      const { ask, answer } = event.data;
      return { ask, closed: { state: "answered", answer, closedBy: by, closedAt: at } };
    }
    case "ask_closed": {
      const { ask, reason } = event.data;
      return { ask, closed: { state: reason, closedBy: by, closedAt: at } };
    }
    default:
      return undefined; // nothing else speaks of asks
  }
}
