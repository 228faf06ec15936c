// The search index, some events behind the log. Sorting in the words of each commit for itself was a third of an
// append's time; those of hundreds together take less than half of that, and no append waits for it. Nothing is lost
// by it: how far the index has come is written with it, the log has the rest, and whoever searches has that sorted
// in first.
import type { LongText, NewEvent } from "../../session/event.ts";
import { asidesIn, MESSAGE_CHARS, searchText } from "../../session/search-text.ts";
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
/** So many events are looked through when what waits is no longer known. */
const EVENTS_MAX = 4_096;

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
    if (!this.#waiting) return;
    this.#waiting.events += 1;
    if (text === null) return;
    const chars = charsOf(text);
    this.#waiting.texts.push([event, text]);
    this.#waiting.chars += chars;
    this.#added.texts += 1;
    this.#added.chars += chars;
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
      !waiting ||
      waiting.texts.length >= TEXTS_MAX ||
      waiting.chars >= CHARS_MAX ||
      waiting.events >= EVENTS_MAX;
    const { texts, chars } = this.#added;
    this.#added = { texts: 0, chars: 0 };
    if (!isDue) return 0;
    return texts >= MANY_TEXTS ? Infinity : Math.max(SOME_CHARS, 2 * chars);
  }

  /** In the caller's transaction: all that waits, or the first of it, of about so many characters. */
  sortIn(chars = Infinity): void {
    const from = readIndexed(this.#database);
    const to = this.#database.tuple<[number | null]>("select max(id) from event")?.[0] ?? 0;
    const waiting = (this.#waiting ??= this.#read(from, to));
    if (to <= from) return;
    let last = to;
    let sorted = 0;
    for (let room = chars; sorted < waiting.texts.length && room > 0; sorted++) {
      const [event, noted] = waiting.texts[sorted] as Noted; // within its length
      const text = noted === true ? this.#longText(event) : noted;
      if (text !== "") this.#database.run("insert into search (rowid, text) values (?, ?)", event, text);
      room -= text.length;
      last = event;
    }
    waiting.chars -= charsIn(waiting.texts.splice(0, sorted));
    if (waiting.texts.length === 0) [last, waiting.events] = [to, 0];
    this.#database.run("update meta set value = ? where name = 'indexed'", String(last));
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
    const texts = this.#database
      .tuples<[number, string]>(
        `select event.id, event.text from event
          left join log on log.key = event.log left join purge on purge.log = event.log
          where event.id > ? and event.owner is null and (log.kind = 'session' or purge.copying) order by event.id`,
        from,
      )
      .flatMap(([event, text]): Noted[] => {
        const search = searchOf(JSON.parse(text) as NewEvent); // a newer version's type has no text for search
        return search === null ? [] : [[event, search]];
      });
    return { events: to - from, texts, chars: charsIn(texts) };
  }
}

type Waiting = { events: number; texts: Noted[]; chars: number };
type Noted = [event: number, text: Exclude<Search, null>];

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

/** A text that was put aside is read up to where search ends; if it is not there any more, we have its beginning. */
export function wholeFrom(database: Database): (text: LongText) => string {
  return (text) => (typeof text === "string" ? text : (readBeginning(database, text.blob) ?? text.preview));
}

export function sortWords({ index }: Writing, chars?: number): void {
  index.sortIn(chars);
}

/** The last event whose words are in the index, though it may be gone by now. */
export function readIndexed(database: Database): number {
  return Number(database.tuple<[string]>("select value from meta where name = 'indexed'")?.[0] ?? 0);
}
