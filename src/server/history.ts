// Pages of a transcript outside the view's last messages, made from spans of the log by the same fold: a row on a page is
// what it is in the view of the whole log.
import { setImmediate as nextTurn } from "node:timers/promises";
import { applyDraft } from "../session/apply-draft.ts";
import type { AnyEvent, Draft } from "../session/event.ts";
import {
  beganBefore,
  closedRow,
  draftedRows,
  goesOn,
  inputsOutside,
  messagesBefore,
  messagesFrom,
  openRow,
  type Drafted,
  type HistoryPage,
} from "../session/history.ts";
import type { Step } from "../session/parts.ts";
import { formatPosition, seqOf, START, type Position } from "../session/position.ts";
import type { LogId, Store } from "../store/store.ts";

/** How much is read for one page. */
export type Bounds = {
  /** A message is rarely more than a few facts; what is not reached is reached with the next page. */
  spanFacts: number;
  /** Read beyond the span where a row needs it: how its calls ended behind it, where its turn began in front of it. */
  beyondFacts: number;
  beyondReads: number;
  /** Of drafts, after which the rest of the rows is left to the next page; and of a single row's, which comes as it began. */
  draftBytes: number;
  rowDraftBytes: number;
};

export const USUAL_BOUNDS: Bounds = {
  spanFacts: 400,
  beyondFacts: 400,
  beyondReads: 5,
  draftBytes: 1024 * 1024,
  rowDraftBytes: 32 * 1024 * 1024, // a hundred thousand drafts, as of the longest answers that models give
};

/** Few enough that others wait for about a millisecond: SQLite reads on this thread. */
const READ_DRAFTS = 200;
/** What a draft takes besides its text. */
const DRAFT_BYTES = 220;

type HistoryStore = Pick<Store, "events" | "eventsBefore" | "drafts">;

/** The messages in front of a position, the newest `limit` of them. */
export async function pageBack(
  store: HistoryStore,
  log: LogId,
  before: Position,
  limit: number,
  bounds = USUAL_BOUNDS,
): Promise<HistoryPage> {
  const span = (await store.eventsBefore(log, before, bounds.spanFacts)).toReversed();
  const { page, facts } = await readRows({ store, log, span, bounds }, (read, inputs) =>
    messagesBefore(read, inputs, before, limit),
  );
  const { rows, left } = await readWords(store, log, draftedRows(facts, page.messages).toReversed(), bounds);
  const messages = page.messages.map((row) => rows.get(row.id) ?? row);
  if (left === undefined) return { ...page, messages };
  const fit = messages.slice(messages.findIndex(({ id }) => id === left) + 1);
  return { messages: fit, next: fit[0]!.position }; // the newest that has drafts always fits
}

/** The messages from a position on, the oldest `limit` of them: where a search hit opens. */
export async function pageFrom(
  store: HistoryStore,
  log: LogId,
  from: Position,
  limit: number,
  bounds = USUAL_BOUNDS,
): Promise<HistoryPage> {
  const span = await store.events(log, justBefore(from), bounds.spanFacts, "facts");
  const last = span.length < bounds.spanFacts ? undefined : span.at(-1);
  const end = last ? formatPosition(seqOf(last.position) + 1, 0) : null;
  const { page, facts } = await readRows({ store, log, span, bounds }, (read, inputs) =>
    messagesFrom(read, inputs, from, end, limit),
  );
  const { rows, left } = await readWords(store, log, draftedRows(facts, page.messages), bounds);
  const messages = page.messages.map((row) => rows.get(row.id) ?? row);
  const cut = messages.findIndex(({ id }) => id === left);
  return cut < 0
    ? { ...page, messages }
    : { messages: messages.slice(0, cut), next: messages[cut]!.position };
}

type Span = { store: HistoryStore; log: LogId; span: AnyEvent[]; bounds: Bounds };

/** A page of a span, and of as much around it as its rows need. */
async function readRows(
  { store, log, span, bounds }: Span,
  pageOf: (facts: readonly AnyEvent[], inputs: readonly AnyEvent[]) => HistoryPage,
): Promise<{ page: HistoryPage; facts: AnyEvent[] }> {
  let facts = span;
  for (let reads = 0; ; reads++) {
    const page = pageOf(facts, await inputsOf(store, log, facts));
    const [first, last] = [facts[0], facts.at(-1)];
    if (!first || !last || reads >= bounds.beyondReads) return { page, facts };
    const earlier = page.messages.some(beganBefore)
      ? await store.eventsBefore(log, first.position, bounds.beyondFacts)
      : [];
    const later = page.messages.some(goesOn)
      ? await store.events(log, last.position, bounds.beyondFacts, "facts")
      : [];
    if (earlier.length + later.length === 0) return { page, facts };
    facts = [...earlier.toReversed(), ...facts, ...later];
  }
}

/** In this order, until it is too much for one page: `left` is the first row that is left to the next one. */
async function readWords(
  store: HistoryStore,
  log: LogId,
  drafted: readonly Drafted[],
  { draftBytes, rowDraftBytes }: Bounds,
): Promise<{ rows: Map<string, Step>; left?: string }> {
  const rows = new Map<string, Step>();
  let sum = 0;
  for (const each of drafted) {
    const { row, bytes } = await readRow(store, log, each, rowDraftBytes);
    sum += bytes;
    if (sum > draftBytes && sum > bytes) return { rows, left: row.id };
    rows.set(row.id, row);
  }
  return { rows };
}

async function readRow(
  store: HistoryStore,
  log: LogId,
  { row, after, before }: Drafted,
  maxBytes: number,
): Promise<{ row: Step; bytes: number }> {
  const view = openRow(row);
  let [position, bytes] = [after, 0];
  while (bytes < maxBytes) {
    const drafts = (await store.drafts(log, position, before, READ_DRAFTS)) as Draft[];
    for (const draft of drafts) {
      applyDraft(view, draft); // one whose part has a hole adds nothing, as in the view
      bytes += DRAFT_BYTES + draft.data.text.length;
      position = draft.position;
    }
    if (drafts.length < READ_DRAFTS) break;
    await nextTurn();
  }
  return { row: closedRow(row, view), bytes };
}

async function inputsOf(store: HistoryStore, log: LogId, facts: readonly AnyEvent[]): Promise<AnyEvent[]> {
  const reads = inputsOutside(facts).map((position) => store.events(log, justBefore(position), 1, "facts"));
  return (await Promise.all(reads)).flat();
}

/** Every `after` is exclusive, so the event at a position is the first one after this. */
function justBefore(position: Position): Position {
  const seq = seqOf(position);
  return seq === 0 ? START : formatPosition(seq - 1, Number.MAX_SAFE_INTEGER);
}
