// What is being sent, kept in this browser until the server has it, each under the key that makes a second try harmless:
// a page that is closed in mid-send goes on with it when it is opened again, and it arrives once.
import type { Position } from "../../src/session/position.ts";
import type { OpenAsk } from "../../src/session/view.ts";
import { keepItem, parsed, type KeptFile } from "./unsent.ts";

/** `queue` waits its turn, `steer` enters the turn that runs, `now` stops that turn and goes first. */
export type Way = "queue" | "steer" | "now";

export type Asked = Pick<OpenAsk, "ask" | "kind">;

export type Departure = {
  key: string;
  /** What stood in the composer, to be put back if it fails; `text` is what of it is said. */
  typed: string;
  text: string;
  way: Way;
  /** The question that it was written for. */
  answers: string | null;
  /** See Outbox. */
  begun: Position | null;
  asked: readonly Asked[] | null;
  files: KeptFile[];
  at: number;
};

const PREFIX = "holdfast:sending:";
/** The server remembers a key for a day; past that a second try could be a second effect. */
export const RESUMABLE_MS = 20 * 3600_000;

/** What a page of before did not keep. */
const UNSAID = { answers: null, begun: null, asked: null };

export function departures(session: string): Departure[] {
  return parsed<Departure>(localStorage.getItem(PREFIX + session)).map((kept) => ({ ...UNSAID, ...kept }));
}

/** By its key, since other tabs have theirs in the same place. */
export function keepDeparture(session: string, departure: Departure): boolean {
  return write(session, [...others(session, departure.key), departure]);
}

export function forgetDeparture(session: string, key: string): void {
  write(session, others(session, key));
}

function others(session: string, key: string): Departure[] {
  return departures(session).filter((each) => each.key !== key);
}

function write(session: string, all: Departure[]): boolean {
  return keepItem(PREFIX + session, all.length === 0 ? "" : JSON.stringify(all));
}
