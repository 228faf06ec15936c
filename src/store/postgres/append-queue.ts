// Appends on their way to the database: all that came in a tick go as few statements, one of which lies ready while
// another is at work, and the appends of one log strictly in the order in which they were asked for.
//
// They all take the first lane, but for when it is held up: somebody holds a log that a statement is for, or the disk is
// slow. Then others pass by it on the next, so that one log's trouble is not everybody's.
//
// Every statement inserts a row with an id of its own, in its own commit. When the connection is lost and nobody knows
// whether it was committed, we try to insert that same row: if it is there, the statement was committed, and the row
// says how each append fared; if it is not, it is now, and should the statement still arrive it fails on it as a whole.
// So an append is never done twice and never answered wrongly, with or without a command's key.
//
// What a caller may conclude: a value is the truth. StorageError means that nothing was written and never will be,
// except an UnknownOutcome, after `repeatMs` without a database: then an executor must not act on either assumption.
// It stops, and whoever claims the session next (itself included) goes on from what the log says.
import { setTimeout as delay } from "node:timers/promises";
import type { Position } from "../../session/position.ts";
import { StorageError, type Appended, type LogId } from "../store.ts";
import { groupOf, joined, positionsIn, type Group, type Waiting } from "./append-group.ts";
import { appendStatement, fitOf, type Fit } from "./append-statement.ts";
import { NOW_MS } from "./clock.ts";
import type { Database } from "./database.ts";
import { DraftStarts } from "./draft-starts.ts";
import { isDeadlock, isUnprepared, LostConnection, NoConnection } from "./fault.ts";
import { type Lane, STATEMENTS_AT_ONCE } from "./lane.ts";
import { explainRefusals } from "./refusal.ts";

/** Ten times what a statement takes. */
const HELD_UP_MS = 20;
const QUEUE_MAX = 20_000;
const GROUPS_MAX = 128;
const EVENTS_MAX = 1_000;
const CHARS_MAX = 4 * 1024 * 1024;
/** A batch below this is not worth dividing. */
const SHARE_MIN = 16;

export const REPEAT_MS = 10_000;
const REPEAT_PAUSE_MS = 50;
/** Rows of settled statements that go together: to remove each with the next statement cost a tenth of its fixed price. */
const FORGET_MIN = 32;
const FORGET_MAX = 256;
const UNDONE_MAX = 5;
const RETRIES_MAX = 3;

/** The database could not be asked in time whether the append was committed. */
export class UnknownOutcome extends StorageError {
  constructor(cause: unknown) {
    super("busy", "PostgreSQL is not reachable; whether this append was written is not known: read the log", {
      cause,
    });
  }
}

/** Nothing of the append was written, and nothing will be. */
class Unreachable extends StorageError {
  constructor(cause: unknown) {
    super("busy", "PostgreSQL is not reachable; nothing of this append was written: try again later", {
      cause,
    });
  }
}

export type AppendQueueOptions = {
  /** In the order in which they are taken. */
  lanes: readonly Lane[];
  /** For what is asked when something went wrong. */
  database: Database;
  /** Begins the ids of this process's statements; no other process ever had it. */
  prefix: string;
  now: () => number | null;
  /** How long an append is tried while the database is away. */
  repeatMs: number;
  /** After the commit: the log has grown to here, has this many facts since its last snapshot, and its row this revision. */
  appended: (group: Group, now: { unsnapped: number; rev: number; last: Position }) => void;
};

/** A lane, and the statements that it was given and that are not answered yet, oldest first. `sinceMs`: at work, or ready. */
type Track = { lane: Lane; given: Set<{ sinceMs: number }> };

export class AppendQueue {
  #waiting: Waiting[] = [];
  #busy = new Set<LogId>();
  #scheduled = false;
  #looksAgain = false;
  readonly #tracks: readonly Track[];
  #statements = 0;
  #settled: string[] = [];
  #idle: (() => void)[] = [];
  #starts = new DraftStarts();
  readonly #options: AppendQueueOptions;

  constructor(options: AppendQueueOptions) {
    this.#options = options;
    this.#tracks = options.lanes.map((lane) => ({ lane, given: new Set() }));
  }

  add(waiting: Waiting): void {
    if (this.#waiting.length >= QUEUE_MAX) {
      waiting.reject(
        new StorageError("busy", `${QUEUE_MAX} appends wait for PostgreSQL already: try again later`),
      );
      return;
    }
    this.#waiting.push(waiting);
    this.#schedule();
  }

  /** Resolves when nothing is on its way any more. */
  async drained(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((done) => this.#idle.push(done));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#waiting.length > 0) {
      const track = this.#freeTrack();
      if (!track) return this.#lookAgain();
      const { lane, given } = track;
      const share = Math.ceil(this.#waiting.length / (STATEMENTS_AT_ONCE - given.size));
      const groups = this.#take(Math.max(SHARE_MIN, share));
      if (groups.length === 0) return; // all that waits is behind what is at work
      const statement = { sinceMs: performance.now() };
      given.add(statement);
      void this.#run(groups, lane).finally(() => {
        given.delete(statement);
        for (const next of given) next.sinceMs = performance.now(); // it lay ready until now
        for (const { log } of groups) this.#busy.delete(log);
        this.#schedule();
        if (this.#isIdle()) for (const done of this.#idle.splice(0)) done();
      });
    }
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#tracks.every(({ given }) => given.size === 0);
  }

  #freeTrack(): Track | undefined {
    const beforeMs = performance.now() - HELD_UP_MS;
    return this.#tracks.find(({ given }) => {
      const [oldest] = given;
      return given.size < STATEMENTS_AT_ONCE && !(oldest && oldest.sinceMs < beforeMs);
    });
  }

  /** No answer says that a lane is held up. */
  #lookAgain(): void {
    if (this.#looksAgain) return;
    this.#looksAgain = true;
    setTimeout(() => {
      this.#looksAgain = false;
      this.#start();
    }, HELD_UP_MS).unref();
  }

  /** In the order of their logs' ids, which is the order in which the statement locks them. */
  #take(appends: number): Group[] {
    const groups = new Map<LogId, Group>();
    const passed = new Set<LogId>();
    const left: Waiting[] = [];
    let [taken, events, chars] = [0, 0, 0];
    for (const waiting of this.#waiting) {
      const { log, batch } = waiting;
      const group = groups.get(log);
      const next = group ? joined(group, waiting) : groupOf(waiting);
      const fits =
        taken < appends &&
        groups.size < GROUPS_MAX &&
        events < EVENTS_MAX &&
        chars < CHARS_MAX &&
        next !== undefined;
      if (!fits || this.#busy.has(log) || passed.has(log)) {
        passed.add(log); // what comes after it in its log waits too
        left.push(waiting);
        continue;
      }
      groups.set(log, next);
      taken += 1;
      events += batch.entries.length;
      for (const { body, search } of batch.entries) chars += body.length + (search?.length ?? 0);
    }
    this.#waiting = left;
    for (const log of groups.keys()) this.#busy.add(log);
    return [...groups.values()].toSorted((a, b) => (a.log < b.log ? -1 : 1));
  }

  /** Never rejects: what goes wrong is told to those who wait. */
  async #run(groups: readonly Group[], lane: Lane): Promise<void> {
    let fit: Fit;
    try {
      fit = await this.#write(groups, lane);
    } catch (error) {
      await this.#failed(groups, lane, error);
      return;
    }
    await this.#answer(groups, fit);
  }

  async #failed(groups: readonly Group[], lane: Lane, error: unknown): Promise<void> {
    const isGone = error instanceof Unreachable || error instanceof UnknownOutcome;
    // One that PostgreSQL can't take, or whose log somebody holds, must not cost the others theirs.
    if (!isGone && groups.length > 1) {
      for (const group of groups) await this.#run([group], lane);
      return;
    }
    for (const { members } of groups) for (const { reject } of members) reject(error);
    // Whoever waits behind has waited long enough to be told; nothing of theirs was sent.
    if (isGone) for (const { reject } of this.#waiting.splice(0)) reject(new Unreachable(error));
  }

  async #write(groups: readonly Group[], lane: Lane): Promise<Fit> {
    const deadline = performance.now() + this.#options.repeatMs;
    let undone = 0;
    while (true) {
      const id = `${this.#options.prefix}.${++this.#statements}`;
      const forget = this.#settled.length < FORGET_MIN ? [] : this.#settled.splice(0, FORGET_MAX);
      try {
        const statement = appendStatement({
          id,
          forget,
          groups,
          now: this.#options.now(),
          startOf: (log, owner) => this.#starts.of(log, owner),
        });
        const [row] = await lane.query<{ result: string }>(statement);
        this.#settled.push(id);
        return fitOf(row?.result ?? "");
      } catch (error) {
        this.#settled.push(...forget);
        if ((isDeadlock(error) || isUnprepared(error)) && ++undone < UNDONE_MAX) continue;
        if (!(error instanceof LostConnection)) throw error;
        const result = error instanceof NoConnection ? null : await this.#settle(id, deadline);
        if (result !== null) return fitOf(result);
        if (performance.now() > deadline) throw new Unreachable(error);
        await delay(REPEAT_PAUSE_MS);
      }
    }
  }

  /** What the statement came to, or null if it was not committed and now never will be. */
  async #settle(id: string, deadline: number): Promise<string | null> {
    while (true) {
      try {
        // Waits for a statement that is still at work: that one has inserted its row already, or will find ours.
        const fenced = await this.#options.database.query({
          text: `insert into batch (id, at) values ($1, ${NOW_MS}) on conflict do nothing returning id`,
          values: [id],
        });
        if (fenced.length > 0) return null;
        const [row] = await this.#options.database.query<{ result: string | null }>({
          text: "select result from batch where id = $1",
          values: [id],
        });
        return row?.result ?? null;
      } catch (error) {
        if (performance.now() > deadline) throw new UnknownOutcome(error);
        await delay(REPEAT_PAUSE_MS);
      }
    }
  }

  async #answer(groups: readonly Group[], fit: Fit): Promise<void> {
    const refused: Waiting[] = [];
    groups.forEach((group, index) => {
      const before = fit.get(index + 1);
      if (!before) {
        refused.push(...group.members);
        return;
      }
      this.#remember(group, before.seq);
      const positions = positionsIn(group, before.seq, before.sub);
      const last = positions.at(-1) as Position; // a group has a member
      this.#options.appended(group, { unsnapped: before.unsnapped, rev: before.rev, last });
      group.members.forEach((waiting, n) => waiting.resolve(appendedAt(waiting, positions[n] as Position))); // one each
    });
    if (refused.length > 0) await this.#explain(refused);
  }

  #remember({ log, members, batch }: Group, seq: number): void {
    for (const owner of batch.sweeps) this.#starts.delete(log, owner);
    for (const waiting of members) {
      for (const { owner, facts } of waiting.starts) this.#starts.add(log, owner, seq + facts);
      seq += waiting.batch.facts;
    }
  }

  async #explain(refused: readonly Waiting[]): Promise<void> {
    try {
      const reasons = await explainRefusals(this.#options.database, refused);
      refused.forEach((waiting, n) => {
        const reason = reasons[n];
        if (reason) waiting.resolve(reason);
      });
      this.#again(refused.filter((_, n) => !reasons[n]));
    } catch (error) {
      for (const { reject } of refused) reject(error);
    }
  }

  /** What refused it is gone already: a log that has just been made, a key that has just been forgotten. */
  #again(undone: readonly Waiting[]): void {
    const [tried, left] = [[] as Waiting[], [] as Waiting[]];
    for (const waiting of undone) (++waiting.retries > RETRIES_MAX ? left : tried).push(waiting);
    this.#waiting.unshift(...tried);
    for (const { log, reject } of left)
      reject(new StorageError("busy", `${log} changes too fast to append to: try again`));
  }
}

function appendedAt({ time, note }: Waiting, position: Position): Appended {
  const appended = { ok: true as const, position, at: time };
  return note === undefined ? appended : { ...appended, note };
}
