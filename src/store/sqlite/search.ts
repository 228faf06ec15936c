// Full text over everything that was said in sessions. The index has only words: what is shown comes from the event.
import type { NewEvent } from "../../session/event.ts";
import { asidesToShow, searchText, snippet } from "../../session/search-text.ts";
import { checkedEvent } from "../event-text.ts";
import { parseSearchCursor, searchCursorAfter } from "../search-cursor.ts";
import type { Rows, SearchHit, SearchQuery } from "../store.ts";
import { askedWords } from "../words.ts";
import type { Database } from "./database.ts";
import { wholeFrom } from "./search-index.ts";

type Found = {
  id: number;
  session: string;
  title: string | null;
  seq: number;
  sub: number;
  crc: number;
  text: string;
};

/** Newest first. All words must be there, and the last may go on. */
export function search(database: Database, { q, limit, after }: SearchQuery): Rows<SearchHit> {
  const asked = askedWords(q).map((word) => `"${word}"`);
  if (asked.length === 0) return { items: [], next: null };
  // Ids are given in the order of writing.
  const before = after === undefined ? undefined : parseSearchCursor(after)?.place;
  const found = database.all<Found>(
    `select event.id, session.id as session, session.title, event.seq, event.sub, event.crc, event.text
      from search join event on event.id = search.rowid join session on session.log = event.log
      where search match ? and search.rowid < ? order by search.rowid desc limit ?`,
    `${asked.join(" AND ")}*`,
    before ?? Number.MAX_SAFE_INTEGER,
    limit + 1,
  );
  const shown = found.slice(0, limit);
  const items = shown.map((record) => hitOf(database, record, q));
  const [last, lastHit] = [shown.at(-1), items.at(-1)];
  const hasMore = found.length > limit && last && lastHit;
  return { items, next: hasMore ? searchCursorAfter(lastHit, last.id) : null };
}

function hitOf(database: Database, { session, title, seq, sub, crc, text }: Found, q: string): SearchHit {
  const event = checkedEvent(session, seq, sub, text, crc);
  const known = event as unknown as NewEvent; // only events with a text are in the index
  const isAside = asidesToShow(known, q).length > 0;
  const whole = (isAside ? searchText(known, wholeFrom(database)) : searchText(known)) ?? "";
  return {
    session,
    title,
    position: event.position,
    at: event.at,
    type: event.type,
    snippet: snippet(whole, q),
  };
}
