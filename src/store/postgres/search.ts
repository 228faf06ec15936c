import type { AnyEvent, NewEvent } from "../../session/event.ts";
import { formatPosition, seqOf } from "../../session/position.ts";
import { asidesToShow, searchText, snippet } from "../../session/search-text.ts";
import { checkedEvent } from "../event-text.ts";
import { parseSearchCursor, searchCursorAfter } from "../search-cursor.ts";
import type { LogId, Rows, SearchHit, SearchQuery } from "../store.ts";
import { askedWords } from "../words.ts";
import { readBeginnings, wholeIn } from "./aside-texts.ts";
import type { Database, Statement, Value } from "./database.ts";
import { textArray } from "./wire.ts";
import { NEW_WORDS } from "./words-duty.ts";

/** Where an event's time begins in its text, and how long it is, is the same for all. */
const AT = `substr(event.text, 55, 24) collate "C"`;

/** Newest first. Of the words that are not sorted in yet, most are passed over by what is cheap to look for. */
export async function search(database: Database, { q, limit, after }: SearchQuery): Promise<Rows<SearchHit>> {
  const words = searchQuery(q);
  if (words === undefined) return { items: [], next: null };
  const values: Value[] = [words, limit + 1, textArray(askedWords(q).map((word) => `%${word}%`))];
  const cursor = after === undefined ? undefined : parseSearchCursor(after);
  if (cursor) values.push(cursor.at, cursor.session, cursor.place);
  const found = await byWords<{
    log: LogId;
    title: string | null;
    seq: number;
    crc: number;
    text: string;
  }>(database, {
    text: `with hit as materialized (
        select log, seq from search where words @@ $1::tsquery
        union all
        select log, seq from search_new where words like all ($3::text[]) and ${NEW_WORDS} @@ $1::tsquery)
      select event.log, session.title, event.seq, event.crc, event.text
      from hit join event on event.log = hit.log and event.seq = hit.seq join session on session.id = hit.log
      ${cursor ? `where (${AT}, event.log, event.seq) < ($4, $5, $6)` : ""}
      order by ${AT} desc, event.log desc, event.seq desc limit $2`,
    values,
  });
  const items: SearchHit[] = [];
  for (const { log, title, seq, crc, text } of found.slice(0, limit)) {
    const event = checkedEvent(log, seq, 0, text, crc);
    const { at, type } = event;
    items.push({
      session: log,
      title,
      position: formatPosition(seq, 0),
      at,
      type,
      snippet: snippet(await textOf(database, event, q), q),
    });
  }
  const last = items.at(-1);
  const hasMore = found.length > limit && last;
  return { items, next: hasMore ? searchCursorAfter(last, seqOf(last.position)) : null };
}

/** An index of words gives places in no order of ours, so it can be read in this way only: see database.ts. */
function byWords<Row extends object>(database: Database, statement: Statement): Promise<Row[]> {
  return database.transaction(async (transaction) => {
    await transaction.query({ text: "set local enable_bitmapscan = on" });
    return transaction.query<Row>(statement);
  });
}

/** All words must be there, and the last may go on. Undefined when the query has none. */
function searchQuery(query: string): string | undefined {
  const asked = askedWords(query).map((word) => `'${word}'`); // letters and digits: nothing in them to escape
  return asked.length === 0 ? undefined : `${asked.join(" & ")}:*`;
}

async function textOf(database: Database, event: AnyEvent, q: string): Promise<string> {
  const known = event as AnyEvent & NewEvent; // it has words, so it is of a type that we know
  const blobs = asidesToShow(known, q).map(({ blob }) => blob);
  const texts = blobs.length === 0 ? undefined : await readBeginnings(database, blobs);
  return searchText(known, texts && wholeIn(texts)) ?? "";
}
