// The search index, some events behind the log. Sorting in the words of each commit for itself was a third of an
// append's time; those of hundreds together take less than half of that, and no append waits for it. Nothing is lost
// by it: how far the index has come is written with it, the log has the rest, and whoever searches has that sorted
// in first.
import type { LongText, NewEvent } from "../../session/event.ts";
import { asidesIn, MESSAGE_CHARS, searchText } from "../../session/search-text.ts";
import { plainWords } from "../words.ts";
import { readBeginning } from "./blob.ts";
import type { Database } from "./database.ts";
import { packSearch, type Search } from "./packed-batch.ts";
import type { Writing } from "./writing.ts";

const TEXTS_MAX = 512;
/** What a search that has them sorted in first waits some 100 ms for. */
const CHARS_MAX = 4 * MESSAGE_CHARS;
/** Usual words take about 2 ms; 6 were seen with words that are all different. */
const SOME_CHARS = 16 * 1024;
const MANY_TEXTS = 16;
/** So many events are looked through when what waits is no longer known; the rest, if that is more, after them. */
const EVENTS_MAX = 4_096;
/** Of them, those that are read at once. */
const READ_FACTS = 256;

export class SearchIndex {
  readonly #database: Database;
  /** What is in the log and not in the index; unknown at the start and after a rollback. */
  #waiting: Waiting | undefined;
  /** What came with the present group. */
  #added = { texts: 0, chars: 0 };

  constructor(database: Database) {
    this.#database = database;
  }

  /** Of every event that is written. */
  note(event: number, text: Search): void {
    const chars = text === null ? 0 : charsOf(text);
    if (text !== null) this.#added.texts += 1;
    this.#added.chars += chars;
    if (!this.#waiting?.isAll) return; // then it is read when its turn comes
    this.#waiting.events += 1;
    if (text !== null) this.#waiting.texts.push([event, text]);
    this.#waiting.chars += chars;
  }

  /** So many events without text were written elsewhere. */
  passOver(events: number): void {
    if (this.#waiting) this.#waiting.events += events;
  }

  remove(events: ReadonlySet<number>): void {
    if (!this.#waiting) return;
    const texts = this.#waiting.texts.filter(([event]) => !events.has(event));
    this.#waiting = { ...this.#waiting, texts, chars: charsIn(texts) };
  }

  forget(): void {
    this.#waiting = undefined;
  }

  /**
   * After each group: how many characters to sort in now. Few, since the next group waits for it, but more than came with
   * this one, so that they never pile up; where many come at once it is the least work to sort in all of them.
   */
  takeDue(): number {
    const waiting = this.#waiting;
    const isDue =
      !waiting?.isAll ||
      waiting.texts.length >= TEXTS_MAX ||
      waiting.chars >= CHARS_MAX ||
      waiting.events >= EVENTS_MAX;
    const { texts, chars } = this.#added;
    this.#added = { texts: 0, chars: 0 };
    if (!isDue) return 0;
    return texts >= MANY_TEXTS ? Infinity : Math.max(SOME_CHARS, 2 * chars);
  }

  /**
   * In the caller's transaction: all that waits, or the first of it, of about so many characters. True when there is more;
   * of a log whose index is made anew there is, until the last of its events was read.
   */
  sortIn(chars = Infinity): boolean {
    const from = readIndexed(this.#database);
    const to = readLast(this.#database);
    if (to <= from) {
      this.#waiting = { ...NOTHING, texts: [] };
      return false;
    }
    const waiting = (this.#waiting ??= this.#read(from, to));
    let last = waiting.isAll ? to : waiting.to;
    let sorted = 0;
    for (let room = chars; sorted < waiting.texts.length && room > 0; sorted++) {
      const [event, noted] = waiting.texts[sorted] as Noted; // within its length
      const text = noted === true ? this.#longText(event) : noted;
      const words = plainWords(text);
      if (words !== "") this.#database.run("insert into search (rowid, words) values (?, ?)", event, words);
      room -= text.length;
    }
    const done = waiting.texts.splice(0, sorted);
    waiting.chars -= charsIn(done);
    if (waiting.texts.length > 0) last = done.at(-1)?.[0] ?? from;
    else if (waiting.isAll) waiting.events = 0;
    else this.#waiting = undefined; // the next are to be read
    this.#database.run("update meta set value = ? where name = 'indexed'", String(last));
    return last < to;
  }

  /** Empty when the event is gone by now. */
  #longText(event: number): string {
    const [text] = this.#database.tuple<[string]>("select text from event where id = ?", event) ?? [];
    return text === undefined
      ? ""
      : (searchText(JSON.parse(text) as NewEvent, wholeFrom(this.#database)) ?? "");
  }

  /** Only sessions are searched; one that is being copied has no log of its own yet. */
  #read(from: number, to: number): Waiting {
    const waiting: Waiting = { ...NOTHING, texts: [], isAll: false, to: from };
    while (!waiting.isAll && waiting.events < EVENTS_MAX && waiting.chars < CHARS_MAX) {
      const facts = this.#database.tuples<[number, string]>(
        `select event.id, event.text from event
          left join log on log.key = event.log left join purge on purge.log = event.log
          where event.id > ? and event.owner is null and (log.kind = 'session' or purge.copying)
          order by event.id limit ${READ_FACTS}`,
        waiting.to,
      );
      for (const [event, text] of facts) {
        const search = searchIn(text);
        if (search === null) continue;
        waiting.texts.push([event, search]);
        waiting.chars += charsOf(search);
      }
      waiting.isAll = facts.length < READ_FACTS;
      waiting.to = waiting.isAll ? to : (facts.at(-1)?.[0] ?? to);
      waiting.events = waiting.to - from;
    }
    return waiting;
  }
}

type Waiting = {
  events: number;
  texts: Noted[];
  chars: number;
  /** False when more follows the event up to which this was read. */
  isAll: boolean;
  to: number;
};
type Noted = [event: number, text: Exclude<Search, null>];

const NOTHING = { events: 0, chars: 0, isAll: true, to: 0 };

/** Of a long one the most that it may have. */
function charsOf(text: Noted[1]): number {
  return text === true ? MESSAGE_CHARS : text.length;
}

function charsIn(texts: readonly Noted[]): number {
  return texts.reduce((chars, [, text]) => chars + charsOf(text), 0);
}

/** Of an event that is in a log already. */
export function searchOf(event: NewEvent): Search {
  return packSearch(searchText(event) ?? null, asidesIn(event).length > 0);
}

/** Nothing for one that is damaged, of which others tell: the words of all others are to be found. */
function searchIn(text: string): Search {
  try {
    return searchOf(JSON.parse(text) as NewEvent); // a newer version's type has no text for search
  } catch {
    return null;
  }
}

/** A text that was put aside is read up to where search ends; if it is not there any more, we have its beginning. */
export function wholeFrom(database: Database): (text: LongText) => string {
  return (text) => (typeof text === "string" ? text : (readBeginning(database, text.blob) ?? text.preview));
}

/** True when there is more. */
export function sortWords({ index }: Writing, chars?: number): boolean {
  return index.sortIn(chars);
}

/** More than is ever left over: the index was begun anew. */
export function isFarBehind(database: Database): boolean {
  return readLast(database) - readIndexed(database) > EVENTS_MAX;
}

function readLast(database: Database): number {
  return database.tuple<[number | null]>("select max(id) from event")?.[0] ?? 0;
}

/** The last event whose words are in the index, though it may be gone by now. */
export function readIndexed(database: Database): number {
  return Number(database.tuple<[string]>("select value from meta where name = 'indexed'")?.[0] ?? 0);
}
