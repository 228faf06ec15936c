// The change that someone is making to an input, in the queue or in the transcript. Apart from the row that shows it: the
// input may be taken, the row scrolled away, the page reloaded, and the words stay.
import { createMutable } from "solid-js/store";
import type { Position } from "../../src/session/position.ts";
import { keepItem, type KeptFile } from "./unsent.ts";

export type KeptEdit = {
  input: string;
  text: string;
  /** What is to go with it; without, it keeps those that it has. */
  files?: KeptFile[];
  /** Of the text that is being changed: another one means that someone else changed it meanwhile. */
  position: Position;
};

/** A session has one of each at a time. */
export type EditPlace = "queue" | "transcript";

const edits = createMutable<Record<string, KeptEdit | null>>({});

export function keptEdit(place: EditPlace, session: string): KeptEdit | null {
  const key = keyOf(place, session);
  if (!(key in edits)) edits[key] = read(key);
  return edits[key] ?? null;
}

export function setKeptEdit(place: EditPlace, session: string, edit: KeptEdit | null): void {
  const key = keyOf(place, session);
  edits[key] = edit;
  keepItem(key, edit === null ? "" : JSON.stringify(edit));
}

function keyOf(place: EditPlace, session: string): string {
  return `holdfast:edit:${place}:${session}`;
}

function read(key: string): KeptEdit | null {
  const json = localStorage.getItem(key);
  return json === null ? null : (JSON.parse(json) as KeptEdit); // this page wrote it
}
