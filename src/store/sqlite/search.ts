// Full text over everything that was said in sessions. The index has only words: what is shown comes from the event.
import type { NewEvent } from "../../session/event.ts";
import { searchText, snippet, words } from "../../session/search-text.ts";
import { checkedEvent } from "../event-text.ts";
import type { SearchHit } from "../store.ts";
import type { Database } from "./database.ts";

type Found = { session: string; title: string | null; seq: number; sub: number; crc: number; text: string };

/** Newest first. All words must be there, and the last may go on. */
export function search(database: Database, query: string, limit: number): SearchHit[] {
  // Composed, so that an accent is part of its letter and not a boundary between words.
  const asked = words(query.normalize("NFC")).map((word) => `"${word}"`);
  if (asked.length === 0) return [];
  const found = database.all<Found>(
    `select session.id as session, session.title, event.seq, event.sub, event.crc, event.text
      from search join event on event.id = search.rowid join session on session.log = event.log
      where search match ? order by search.rowid desc limit ?`,
    `${asked.join(" AND ")}*`,
    limit,
  );
  return found.map(({ session, title, seq, sub, crc, text }) => {
    const event = checkedEvent(session, seq, sub, text, crc);
    const whole = searchText(event as unknown as NewEvent) ?? ""; // only events with a text are in the index
    return {
      session,
      title,
      position: event.position,
      at: event.at,
      type: event.type,
      snippet: snippet(whole, query),
    };
  });
}
