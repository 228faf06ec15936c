// The change that someone is making to a queued input. Apart from the row that shows it: the input may be taken, the person
// may look elsewhere, the page may be reloaded, and the words stay.
import { createMutable } from "solid-js/store";
import type { Position } from "../../src/session/position.ts";
import { keepItem } from "./unsent.ts";

export type QueueEdit = {
  input: string;
  text: string;
  /** Of the text that is being changed: another one means that someone else changed it meanwhile. */
  position: Position;
};

const PREFIX = "holdfast:queue-edit:";
const edits = createMutable<Record<string, QueueEdit | null>>({});

export function queueEdit(session: string): QueueEdit | null {
  if (!(session in edits)) edits[session] = kept(session);
  return edits[session] ?? null;
}

export function setQueueEdit(session: string, edit: QueueEdit | null): void {
  edits[session] = edit;
  keepItem(PREFIX + session, edit === null ? "" : JSON.stringify(edit));
}

function kept(session: string): QueueEdit | null {
  const json = localStorage.getItem(PREFIX + session);
  return json === null ? null : (JSON.parse(json) as QueueEdit); // this page wrote it
}
