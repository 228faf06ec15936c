// The files that events name, so that a log keeps them.
import type { NewEvent } from "../session/event.ts";
import { referencesOf } from "../session/references.ts";

export function filesIn(events: readonly NewEvent[]): string[] {
  return events.flatMap((event) => referencesOf(event).files.map(({ file }) => file));
}
