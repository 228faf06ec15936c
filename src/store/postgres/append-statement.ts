// The one statement that appends: fence, numbering, events, index and the row that tells whether it was committed.
//
// Each group is admitted or refused by itself: the condition stands in the update of its log's row, whose lock is what
// makes numbers gapless and lets a reader never skip one. All that follows hangs on what that update returned (`fit`),
// so a refused group writes nothing and disturbs no other.
import { askColumns } from "../ask-row.ts";
import type { LogId } from "../store.ts";
import { needsOldSub, type Group } from "./append-group.ts";
import { changedRows, setsNames, setsState } from "./append-rows.ts";
import {
  carriedColumns,
  draftValues,
  factValues,
  groupColumns,
  groupValues,
  keyValues,
  sweepValues,
  wordValues,
} from "./append-values.ts";
import { NOW_MS, NOW_S } from "./clock.ts";
import { KEEPER_SCOPE } from "./command.ts";
import type { Statement, Value } from "./database.ts";
import { changedProcesses, processValues } from "./process.ts";
import { IS_ACTIVE } from "./session-status.ts";
import { rowsAlong, type Parameters, type RowColumns } from "./rows-along.ts";
import { countedUsage, usageValues } from "./usage.ts";
import { bigintArray, textArray } from "./wire.ts";

export type AppendRequest = {
  /** This statement's own, never used before: see append-queue.ts. */
  id: string;
  /** Of earlier statements that are known to have been settled; their rows go. */
  forget: readonly string[];
  groups: readonly Group[];
  /** The time that decides, where a test owns it. */
  now: number | null;
  /** No draft of this owner has a lower seq. */
  startOf: (log: LogId, owner: string) => number;
};

/**
 * Where the log of the nth group (from 1) stood before it; how many facts there now are since its last snapshot, and
 * its row's present `rev`. Groups without an entry were refused.
 */
export type Fit = Map<number, { seq: number; sub: number; unsnapped: number; rev: number }>;

export function appendStatement(request: AppendRequest): Statement {
  const { groups } = request;
  const shape: Shape = {
    // The dearer way, in two passes over the logs: for what must be known before the logs are updated.
    locks: groups.some(({ key, batch }) => key !== undefined || needsOldSub(batch)),
    facts: groups.some(({ batch }) => batch.facts > 0),
    words: groups.some(({ batch }) => batch.entries.some(({ search }) => search !== null)),
    drafts: groups.some(({ batch }) => batch.entries.some(({ owner }) => owner !== null)),
    rows: groups.some(({ batch }) => batch.change !== undefined),
    sets: groups.some(({ batch }) => setsState(batch.change)),
    names: groups.some(({ batch }) => setsNames(batch.change)),
    sweeps: groups.some(({ batch }) => batch.sweeps.length > 0),
    asks: groups.some(({ batch }) => batch.asks.length > 0),
    processes: groups.some(({ batch }) => batch.processes.length > 0),
    usage: groups.some(({ batch }) => batch.usage.length > 0),
    more: groups.some(({ batch }) => batch.entries.length > 1),
    terms: groups.some(({ expectSeq, batch }) => expectSeq !== undefined || batch.ends !== undefined),
    // By others than executors, who append only to what is no longer waiting.
    rouses: groups.some(({ writer }) => writer.by !== "executor"),
    forgets: request.forget.length > 0,
  };
  const name = `append_${Object.values(shape).map(Number).join("")}`;
  return {
    name,
    text: textOf(name, shape),
    values: [
      request.id,
      request.now,
      ...(shape.locks ? [textArray(groups.map(({ log }) => log))] : []),
      ...groupValues(groups, shape),
      ...(shape.locks ? keyValues(groups) : []),
      ...(shape.more && shape.facts ? factValues(groups) : []),
      ...(shape.more && shape.words ? wordValues(groups) : []),
      ...(shape.more && shape.drafts ? draftValues(groups) : []),
      ...(shape.sweeps ? sweepValues(groups, request.startOf) : []),
      ...(shape.asks ? askValues(groups) : []),
      ...(shape.processes ? processValues(groups) : []),
      ...(shape.usage ? usageValues(groups) : []),
      ...(shape.forgets ? [textArray(request.forget)] : []),
    ],
  };
}

export function fitOf(result: string): Fit {
  const fit: Fit = new Map();
  const numbers = numbersIn(result);
  const at = (n: number) => numbers[n] as number; // five for each
  for (let n = 0; n + 4 < numbers.length; n += 5)
    fit.set(at(n), { seq: at(n + 1), sub: at(n + 2), unsnapped: at(n + 3), rev: at(n + 4) });
  return fit;
}

/** Digit by digit: there are hundreds in a statement's answer. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  for (let at = 0, number = 0; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      number = number * 10 + digit;
      continue;
    }
    if (at > 0) numbers.push(number);
    number = 0;
  }
  return numbers;
}

const ZERO = "0".charCodeAt(0);

type Shape = Record<
  | "locks"
  | "facts"
  | "words"
  | "drafts"
  | "rows"
  | "sets"
  | "names"
  | "sweeps"
  | "asks"
  | "processes"
  | "usage"
  | "more"
  | "terms"
  | "rouses"
  | "forgets",
  boolean
>;

const texts = new Map<string, string>();

function textOf(name: string, shape: Shape): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = writeText(shape);
  texts.set(name, text);
  return text;
}

function writeText(shape: Shape): string {
  const next = parameters();
  const [id, now] = [next("text"), next("bigint")];
  const nowMs = `(select coalesce(${now}, ${NOW_MS}))`; // once, not row by row
  const parts = [
    ...(shape.locks ? fitUnderLock(next, nowMs, shape) : fitAtOnce(next, nowMs, shape)),
    ...(shape.facts ? [writtenFacts(next, shape)] : []),
    ...(shape.words ? [writtenWords(next, shape)] : []),
    ...(shape.drafts ? [writtenDrafts(next, shape)] : []),
    ...(shape.rows ? [changedRows(shape)] : []),
    ...(shape.sweeps ? [sweptDrafts(next)] : []),
    ...(shape.asks ? changedAsks(next) : []),
    ...(shape.processes ? changedProcesses(next) : []),
    ...(shape.usage ? [countedUsage(next)] : []),
    ...(shape.forgets ? [`forgotten as (delete from batch where id = any(${next("text[]")}))`] : []),
  ];
  return `with ${parts.join(",\n")}
insert into batch (id, result, at)
select ${id},
  coalesce((select string_agg(concat_ws(':', n, seq, sub, unsnapped, rev), ' ') from fit), ''),
  ${nowMs}
returning result`;
}

function parameters(): Parameters {
  let count = 0;
  return (type) => `$${++count}::${type}`;
}

const admitted = ({ terms }: Shape) => `not log.closed
    and (a.epoch < 0 or (log.epoch = a.epoch and log.holder = a.holder))
    ${terms ? "and (a.expect < 0 or log.seq = a.expect)" : ""}`;

const advance = (nowMs: string, { terms, rouses }: Shape) => `seq = log.seq + a.facts,
    sub = case when a.facts = 0 then log.sub + a.drafts else a.drafts end,
    ${terms ? "closed = a.closes > 0," : ""}
    lease_until = case when a.ttl < 0 then log.lease_until else ${nowMs} + a.ttl end,
    ${rouses ? `waits_since = case when ${IS_LEFT_ALONE} then ${nowMs} else log.waits_since end,` : ""}
    rev = log.rev + 1,
    touched = (select ${NOW_S})`;

/** Nobody works on it, and there was nothing to do for anybody: from here on there may be. */
const IS_LEFT_ALONE = `log.holder is null
      and (log.seq <= log.rested_seq or not exists (select from session where session.id = log.id and ${IS_ACTIVE}))`;

/** What follows gets with each group: its first event, and what to do to its row. */
const carried = (shape: Shape) =>
  carriedColumns(shape)
    .map((column) => `a.${column}`)
    .join(", ");

/** The order of the array is the order of the locks, so that two such statements don't wait for each other. */
function fitAtOnce(next: Parameters, nowMs: string, shape: Shape): string[] {
  return [
    `fit as (
  update log set ${advance(nowMs, shape)}
  from ${rowsAlong(next, groupColumns(shape))} as a
  where log.id = a.id and ${admitted(shape)}
  returning a.nth as n, log.id, log.seq - a.facts as seq, case when a.facts = 0 then log.sub - a.drafts else 0 end as sub,
    log.seq - log.snapshot_seq as unsnapped, log.rev, ${carried(shape)})`,
  ];
}

/**
 * A key that is there already leaves its group out: its insert waits for whoever else writes it just now. Joins, not
 * subqueries, bring in what other parts have written: only those are kept when a row's newest version is checked again.
 */
function fitUnderLock(next: Parameters, nowMs: string, shape: Shape): string[] {
  const ids = next("text[]");
  const { texts = [], ...group } = groupColumns(shape);
  const keyed = { ...group, texts: [...texts, "scope", "key", "digest", "note"] };
  return [
    `locked as materialized (
  select id, seq, sub, closed, epoch, holder from log where id = any(${ids}) order by id for update)`,
    `admissible as materialized (
  select a.*, log.seq as old_seq, log.sub as old_sub
  from ${rowsAlong(next, keyed)} as a
  join locked log on log.id = a.id
  where ${admitted(shape)})`,
    `keyed as (
  insert into command (scope, key, digest, log, result, at)
  select scope, key, digest, case when scope = '${KEEPER_SCOPE}' then id end,
    '{"position":"' || ${position("old_seq + facts", "case when facts = 0 then old_sub + drafts else drafts end")}
      || '"' || coalesce(',"note":' || note, '') || '}',
    ${nowMs}
  from admissible where key is not null order by scope, key
  on conflict do nothing
  returning scope, key)`,
    `fit as (
  update log set ${advance(nowMs, shape)}
  from admissible a left join keyed on keyed.scope = a.scope and keyed.key = a.key
  where log.id = a.id and (a.key is null or keyed.key is not null)
  returning a.nth as n, log.id, a.old_seq as seq, a.old_sub as sub, log.seq - log.snapshot_seq as unsnapped, log.rev,
    ${carried(shape)})`,
  ];
}

function writtenFacts(next: Parameters, { drafts, more }: Shape): string {
  const columns: RowColumns = {
    each: ["body", "text"],
    numbers: ["n", "facts", "crc"],
    texts: ["tally", "author"],
  };
  return `facts_written as (
  insert into event (log, seq, crc, tally, author, text)
  select log, seq, crc, tally, author,
    '{"position":"' || lpad(seq::text, 16, '0') || '_0000000000000000",' || body
  from (
    select id as log, seq + ${first("facts", more)} as seq, crc, tally, author, body
    from fit${drafts ? " where owner is null" : ""}
    ${further(more, () => `select fit.id, fit.seq + e.facts, e.crc, e.tally, e.author, e.body from ${rowsAlong(next, columns)}`)}
    offset 0) as placed)`;
}

function writtenDrafts(next: Parameters, { more }: Shape): string {
  const columns: RowColumns = {
    each: ["body", "text"],
    numbers: ["n", "facts", "drafts", "crc"],
    texts: ["owner"],
  };
  const sub = (facts: string, drafts: string) =>
    `case when ${facts} = 0 then fit.sub + ${drafts} else ${drafts} end`;
  return `drafts_written as (
  insert into draft (log, seq, sub, crc, owner, text)
  select log, seq, sub, crc, owner, '{"position":"' || ${position("seq", "sub")} || '",' || body
  from (
    select id as log, seq + ${first("facts", more)} as seq, ${sub(first("facts", more), first("drafts", more))} as sub, crc, owner, body
    from fit where owner is not null
    ${further(more, () => `select fit.id, fit.seq + e.facts, ${sub("e.facts", "e.drafts")}, e.crc, e.owner, e.body from ${rowsAlong(next, columns)}`)}
    offset 0) as placed)`;
}

function writtenWords(next: Parameters, { more }: Shape): string {
  const columns: RowColumns = { each: ["words", "text"], numbers: ["n", "facts"] };
  return `words_written as (
  insert into search_new (log, seq, words)
  select id, seq + ${first("facts", more)}, words from fit where words is not null
  ${further(more, () => `select fit.id, fit.seq + e.facts, e.words from ${rowsAlong(next, columns)}`)})`;
}

/** The first event's own; that of the only one is its group's. */
function first(what: "facts" | "drafts", more: boolean): string {
  return more ? `fit.first_${what}` : `fit.${what}`;
}

/** The events behind each group's first, `e`, if any of them has some. */
function further(more: boolean, select: () => string): string {
  return more ? `union all ${select()} as e join fit on fit.n = e.n` : "";
}

/**
 * Found log by log, from where their owner began: a join would read the whole table, and the whole log would be nearly
 * all drafts that are dead and not vacuumed yet.
 */
function sweptDrafts(next: Parameters): string {
  const rows = rowsAlong(next, { each: ["owner", "text"], numbers: ["n", "since"] });
  return `drafts_swept as (
  delete from draft where ctid = any (array(
    select found.place
    from ${rows} as e join fit on fit.n = e.n
    cross join lateral (
      select draft.ctid as place from draft
      where draft.log = fit.id and draft.seq >= e.since and draft.owner = e.owner
      offset 0) as found)))`;
}

/** Closed only by its own session: a fork closes asks of the same name in its copied log. */
function changedAsks(next: Parameters): string[] {
  const arrays = ["bigint[]", "text[]", "text[]", "text[]", "text[]"].map(next);
  const changes = `unnest(${arrays.join(", ")}) as e (n, id, state, opened, closed) join fit on fit.n = e.n`;
  return [
    `asks_opened as (
  insert into ask (id, session, state, opened, closed)
  select e.id, fit.id, e.state, e.opened, e.closed from ${changes} where e.opened is not null
  on conflict do nothing)`,
    `asks_closed as (
  update ask set state = c.state, closed = c.closed
  from (select e.id, fit.id as session, e.state, e.closed from ${changes} where e.opened is null offset 0) as c
  where ask.id = c.id and ask.session = c.session and ask.state = 'open')`,
  ];
}

/** As src/session/position.ts writes it; the branch for facts saves half of the padding. */
function position(seq: string, sub: string): string {
  return `lpad((${seq})::text, 16, '0') || case when (${sub}) = 0 then '_0000000000000000' else '_' || lpad((${sub})::text, 16, '0') end`;
}

function askValues(groups: readonly Group[]): Value[] {
  const asks = groups.flatMap(({ batch }, index) =>
    batch.asks.map((change) => ({ n: index + 1, item: askColumns(change) })),
  );
  return [
    bigintArray(asks.map(({ n }) => n)),
    ...(["id", "state", "opened", "closed"] as const).map((part) =>
      textArray(asks.map(({ item }) => item[part])),
    ),
  ];
}
