// The rows of a transcript: its messages, and among them the line that says where someone left off.
import type { Position } from "../../src/session/position.ts";
import type { Message } from "../../src/session/view.ts";

/** Without a message: the line, which stands below what was said last by then. */
export type Entry = { key: string; message: Message } | { key: string; message: null; seenAt: string };

export const LEFT_OFF = "left off";

export function entriesOf(messages: readonly Message[], leftOff: number | undefined): Entry[] {
  const entries: Entry[] = messages.map((message) => ({ key: keyOf(message), message }));
  const before = leftOff === undefined ? undefined : messages[leftOff - 1];
  if (leftOff !== undefined && before)
    entries.splice(leftOff, 0, { key: LEFT_OFF, message: null, seenAt: before.at });
  return entries;
}

/** The index of the message that the line stands in front of; undefined: its place is not among those that are here. */
export function leftOffAt(
  messages: readonly Message[],
  since: Position | null,
  hasLater: boolean,
): number | undefined {
  if (since === null) return undefined;
  const next = messages.findIndex(({ position }) => position > since);
  if (next >= 0) return next > 0 ? next : undefined;
  // What came only made the last row grow: it had begun before.
  return hasLater || messages.length < 2 ? undefined : messages.length - 1;
}

/** Its id alone would not do: a task that ends long after it began has a row at either place. */
function keyOf({ position, id }: Message): string {
  return `${position} ${id}`;
}
