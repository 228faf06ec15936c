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
/** `blocks` from the last one on; `left` is how many events of the first of them are still to be gone through. */
type Round = { owners: Owner[]; due: Map<string, number>; blocks: number[]; left: number };

export class Sweeps {
  readonly #database: Database;
  /** What is being removed now; those whose fact comes meanwhile are for the next one. */
  #round: Round | undefined;

  constructor(database: Database) {
    this.#database = database;
    // Asked of each draft in a slice. To join them with a list of those that are due takes the product of both.
    database.connection.function(
      "due_until",
      { varargs: true },
      (...draft) => this.#round?.due.get(draft.join(" ")) ?? null,
    );
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
    const due = new Map(owners.map(([log, owner, , until]) => [`${log} ${owner}`, until]));
    return { owners, due, blocks: [...blocks].toSorted((a, b) => b - a), left: BLOCK_EVENTS };
  }

  /**
   * Never the log's newest event, so that its position is not given out again: a fact lies behind all of them. And only
   * what was due when the round began: of an owner whose fact came since, the newest may lie in what has been gone through.
   */
  #remove(round: Round, block: number): void {
    const to = block * BLOCK_EVENTS + round.left;
    this.#database.run(
      "delete from event where id >= ? and id < ? and owner is not null and seq < due_until(log, owner)",
      to - SLICE_EVENTS,
      to,
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
