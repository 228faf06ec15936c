// Removes drafts whose fact is there, some time after it: the words of those who spoke at once lie side by side, and a page
// that is written once for all of them would be written once for each: the end of a turn touched about as many pages as it
// had drafts.
// Until then they are read along with their fact, which changes nothing. The newest go first, so that whoever reads in
// between two slices finds how it began, and never a hole.
import type { Database } from "./database.ts";
import { BLOCK_EVENTS, type LogState } from "./logs.ts";
import type { Writing } from "./writing.ts";

const OWNERS_MAX = 256;
/** Of a slice, for which whoever writes meanwhile waits. */
const SLICE_EVENTS = 256;

/** In the transaction of the fact. */
export function markSwept({ database }: Writing, log: LogState, owner: string): void {
  log.drafting.delete(owner);
  database.run("update drafting set until = ? where log = ? and owner = ?", log.seq, log.key, owner);
}

type Owner = [log: number, owner: string, seq: number, until: number];
/**
 * `due`: the owners, as SQL gets them; `blocks` from the last one on; `left` is how many events of the first of them are
 * still to be gone through.
 */
type Round = { owners: Owner[]; due: string; blocks: number[]; left: number };

export class Sweeps {
  readonly #database: Database;
  /** What is being removed now; those whose fact comes meanwhile are for the next one. */
  #round: Round | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  forget(): void {
    this.#round = undefined;
  }

  /** False when nothing is left to be removed. */
  slice(): boolean {
    const round = (this.#round ??= this.#begin());
    if (round.owners.length === 0) {
      this.#round = undefined;
      return false;
    }
    const [block] = round.blocks;
    if (block === undefined) this.#end(round);
    else this.#remove(round, block);
    return true;
  }

  #begin(): Round {
    const owners = this.#database.tuples<Owner>(
      "select log, owner, seq, until from drafting where until is not null limit ?",
      OWNERS_MAX,
    );
    const blocks = new Set<number>();
    for (const [log, , seq, until] of owners)
      for (const [block] of this.#database.tuples<[number]>(
        `select block from span where log = ?1 and seq < ?3
          and seq >= coalesce((select max(seq) from span where log = ?1 and (seq, sub) <= (?2, 0)), 0)`,
        log,
        seq,
        until,
      ))
        blocks.add(block);
    const due = JSON.stringify(owners);
    return { owners, due, blocks: [...blocks].toSorted((a, b) => b - a), left: BLOCK_EVENTS };
  }

  /**
   * Never the log's newest event, so that its position is not given out again: a fact lies behind all of them. And only
   * what was due when the round began: of an owner whose fact came since, the newest may lie in what has been gone through.
   */
  #remove(round: Round, block: number): void {
    const to = block * BLOCK_EVENTS + round.left;
    this.#database.run(
      `delete from event where id in (
        select event.id from event
        join (select value ->> 0 as log, value ->> 1 as owner, value ->> 3 as until from json_each(?3)) as due
          on due.log = event.log and due.owner = event.owner
        where event.id >= ?1 and event.id < ?2 and event.seq < due.until)`,
      to - SLICE_EVENTS,
      to,
      round.due,
    );
    round.left -= SLICE_EVENTS;
    if (round.left > 0) return;
    round.left = BLOCK_EVENTS;
    round.blocks.shift();
  }

  #end({ owners }: Round): void {
    this.#round = undefined;
    for (const [log, owner, , until] of owners)
      this.#database.run("delete from drafting where log = ? and owner = ? and until = ?", log, owner, until);
  }
}

export function sweepSlice({ sweeps }: Writing): boolean {
  return sweeps.slice();
}
