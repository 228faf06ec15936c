// What counts as missed, as the server counts it: steps with text and inputs by others, finished tools.
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { tallyOf } from "../session/row.ts";

export type Tally = { messages: number; tools: number };

export const NOTHING: Tally = { messages: 0, tools: 0 };

/** `person` is who reads: what they sent themselves is no news to them. */
export function tally(before: Tally, events: readonly AnyEvent[], person: string): Tally {
  let { messages, tools } = before;
  for (const event of events) {
    const counted = tallyOf(event as NewEvent); // a type that we do not know counts as nothing
    const isOwn = event.type === "input_admitted" && "person" in event.by && event.by.person === person;
    if (counted === "message" && !isOwn) messages += 1;
    if (counted === "tool") tools += 1;
  }
  return { messages, tools };
}

export function sum(one: Tally, other: Tally): Tally {
  return { messages: one.messages + other.messages, tools: one.tools + other.tools };
}
