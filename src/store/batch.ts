// A batch of events, made ready for either database: all that can be known before the log's own position is. Where
// each event will stand is relative, since only the database knows where the log stands at the moment of writing.
import { askChanges, type AskChange } from "../session/asks.ts";
import { isDraft, ownerOf, sweptBy } from "../session/draft.ts";
import type { By, LongText, NewEvent } from "../session/event.ts";
import { processChanges, type ProcessChange } from "../session/processes.ts";
import { rowChange, tallyOf, type RowChange } from "../session/row.ts";
import { asidesIn, searchText } from "../session/search-text.ts";
import { usageChanges, type UsageChange } from "../session/usage-changes.ts";
import { eventBody } from "./event-text.ts";
import type { Writer } from "./store.ts";

export type Entry = {
  /** Facts of the batch up to and including this event: its seq is the log's seq and these. */
  facts: number;
  /** Drafts since the last fact of the batch: its sub, and the log's own sub on top as long as `facts` is 0. */
  drafts: number;
  body: string;
  crc: number;
  /** Of a draft: whose fact will make it superfluous. */
  owner: string | null;
  tally: Tally | null;
  /** The person who wrote it, for counting what others wrote. */
  author: string | null;
  search: string | null;
  /** Whether some of what search finds lies in blobs, of which `search` may have the beginning only. */
  aside: boolean;
};

export type Tally = "message" | "tool";

export type Batch = {
  entries: Entry[];
  /** What the log's seq grows by. */
  facts: number;
  /** The log's sub afterwards, or what it grows by when there is no fact. */
  drafts: number;
  change: RowChange | undefined;
  asks: AskChange[];
  processes: ProcessChange[];
  /** What its steps used. */
  usage: UsageChange[];
  /** Owners whose drafts go in the same transaction. */
  sweeps: string[];
  /** Nothing is appended after this batch. */
  ends: { successor: string | null } | undefined;
};

/** `whole` has the texts that were put aside, where they are to be found at once. */
export function prepareBatch(
  events: readonly NewEvent[],
  at: string,
  by: By,
  whole?: (text: LongText) => string,
): Batch {
  if (events.length === 0) throw new RangeError("an append needs at least one event");
  const batch: Batch = {
    entries: [],
    facts: 0,
    drafts: 0,
    change: rowChange(events),
    asks: askChanges(events, at, by),
    processes: processChanges(events, at),
    usage: usageChanges(events, at),
    sweeps: [],
    ends: undefined,
  };
  for (const event of events) {
    if (batch.ends)
      throw new RangeError(`a ${event.type} can't follow session_ended: nothing is appended after it`);
    place(batch, event);
    batch.entries.push(entryOf(event, at, by, batch, whole));
  }
  return batch;
}

/** Events of another log, each with its own time and author; nothing follows from them but that they are there. */
export function copyBatch(entries: Entry[], facts: number, drafts: number, sweeps: string[]): Batch {
  return {
    entries,
    facts,
    drafts,
    change: undefined,
    asks: [],
    processes: [],
    usage: [],
    sweeps,
    ends: undefined,
  };
}

export function entryOf(
  event: NewEvent,
  at: string,
  by: By,
  { facts, drafts }: Pick<Entry, "facts" | "drafts">,
  whole?: (text: LongText) => string,
): Entry {
  const { text, crc } = eventBody(event, at, by);
  const search = searchText(event, whole) ?? null;
  return {
    facts,
    drafts,
    body: text,
    crc,
    owner: isDraft(event) ? ownerOf(event.data.part) : null,
    tally: tallyOf(event) ?? null,
    author: personOf(by),
    search,
    aside: search !== null && asidesIn(event).length > 0,
  };
}

function place(batch: Batch, event: NewEvent): void {
  if (isDraft(event)) {
    batch.drafts += 1;
    return;
  }
  batch.facts += 1;
  batch.drafts = 0;
  const swept = sweptBy(event);
  if (swept !== undefined) batch.sweeps.push(swept);
  if (event.type === "session_ended") batch.ends = { successor: event.data.successor ?? null };
}

export function authorOf(writer: Writer): By {
  switch (writer.by) {
    case "client":
      return writer.author;
    case "executor":
      return { executor: writer.lease.holder, epoch: writer.lease.epoch };
    case "keeper":
      return { keeper: writer.keeper };
  }
}

/** What a person's own program wrote is news to that person. */
function personOf(by: By): string | null {
  return "person" in by && by.program === undefined ? by.person : null;
}
