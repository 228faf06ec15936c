// What goes with the statement that appends: for each of its parts the columns of its rows (rows-along.ts), group by
// group. A row names its group by number, from 1. Written as loops, since this is where this process spends most of an append's time.
//
// A group's first event, the only one that most have, goes along with the group itself, and so does what the group does
// to its session's row: to join them to their group by its number took a fifteenth of the statement's time.
import type { Batch, Entry } from "../batch.ts";
import type { LogId } from "../store.ts";
import { plainWords } from "../words.ts";
import type { Group } from "./append-group.ts";
import { pushRowNumbers, rowNumbers, rowTexts, setsIn, type RowShape } from "./append-rows.ts";
import type { Value } from "./database.ts";
import { NO_NUMBER, type RowColumns } from "./rows-along.ts";
import { bigintArray, doubleArray, textArray } from "./wire.ts";

/** What any of the groups has. */
export type GroupShape = RowShape & Record<"terms" | "facts" | "drafts" | "words" | "rows" | "more", boolean>;

/** What only the update of the log's own row needs. */
const proofNumbers = ({ terms }: GroupShape) => ["epoch", "ttl", ...(terms ? ["expect", "closes"] : [])];
/** `facts` and `drafts` of a single event are its own. */
const placeNumbers = ({ more }: GroupShape) => [
  "facts",
  "drafts",
  "crc",
  ...(more ? ["first_facts", "first_drafts"] : []),
];

/** In the order of groupValues. */
export function groupColumns(shape: GroupShape): RowColumns {
  return {
    each: ["id", "text"],
    numbers: [...proofNumbers(shape), ...placeNumbers(shape), ...(shape.rows ? rowNumbers(shape) : [])],
    amounts: shape.rows ? ["cost"] : [],
    texts: ["holder", ...firstTexts(shape), ...(shape.rows ? rowTexts(shape) : [])],
  };
}

/** Of these, what the parts need that follow once a group is admitted. */
export function carriedColumns(shape: GroupShape): string[] {
  const { numbers = [], amounts = [], texts = [] } = groupColumns(shape);
  return [...numbers.slice(proofNumbers(shape).length), ...amounts, ...texts.slice(1)];
}

export function groupValues(groups: readonly Group[], shape: GroupShape): Value[] {
  const [logs, numbers, costs]: [string[], number[], number[]] = [[], [], []];
  const holders: (string | null)[] = [];
  const first: Record<FirstText, (string | null)[]> = {
    body: [],
    owner: [],
    tally: [],
    author: [],
    words: [],
  };
  const sets = setsIn(groups, shape);
  groups.forEach((group, index) => {
    const { log, writer, expectSeq, batch } = group;
    const lease = writer.by === "executor" ? writer.lease : undefined;
    const entry = batch.entries[0];
    logs.push(log);
    holders.push(lease?.holder ?? null);
    numbers.push(lease?.epoch ?? NO_NUMBER, lease?.ttlMs ?? NO_NUMBER);
    if (shape.terms) numbers.push(expectSeq ?? NO_NUMBER, batch.ends ? 1 : 0);
    numbers.push(batch.facts, batch.drafts, entry?.crc ?? 0);
    if (shape.more) numbers.push(entry?.facts ?? 0, entry?.drafts ?? 0);
    first.body.push(entry?.body ?? null);
    first.owner.push(entry?.owner ?? null);
    first.tally.push(entry?.tally ?? null);
    first.author.push(entry?.author ?? null);
    first.words.push(wordsOf(entry?.search ?? null));
    if (!shape.rows) return;
    pushRowNumbers(numbers, group, sets[index]);
    costs.push(batch.change?.add.cost ?? 0);
  });
  return [
    textArray(logs),
    bigintArray(numbers),
    ...(shape.rows ? [doubleArray(costs)] : []),
    textArray(holders),
    ...firstTexts(shape).map((name) => textArray(first[name])),
    ...(shape.rows ? rowTexts(shape) : []).map((column) =>
      textArray(sets.map(({ texts }) => texts[column] ?? null)),
    ),
  ];
}

type FirstText = "body" | "owner" | "tally" | "author" | "words";

function firstTexts({ facts, drafts, words }: GroupShape): FirstText[] {
  return [
    "body",
    ...(drafts ? (["owner"] as const) : []),
    ...(facts ? (["tally", "author"] as const) : []),
    ...(words ? (["words"] as const) : []),
  ];
}

function wordsOf(search: string | null): string | null {
  return search === null ? null : plainWords(search);
}

/** scope, key, digest, note */
export function keyValues(groups: readonly Group[]): Value[] {
  return (["scope", "key", "digest", "note"] as const).map((part) =>
    textArray(groups.map(({ key }) => key?.[part] ?? null)),
  );
}

/** Of the events behind each group's first: body; n, facts, crc; tally, author */
export function factValues(groups: readonly Group[]): Value[] {
  const [bodies, numbers]: [string[], number[]] = [[], []];
  const [tallies, authors]: [(string | null)[], (string | null)[]] = [[], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of furtherIn(batch)) {
      if (entry.owner !== null) continue;
      bodies.push(entry.body);
      numbers.push(index + 1, entry.facts, entry.crc);
      tallies.push(entry.tally);
      authors.push(entry.author);
    }
  });
  return [textArray(bodies), bigintArray(numbers), textArray(tallies), textArray(authors)];
}

/** Of the same: words; n, facts */
export function wordValues(groups: readonly Group[]): Value[] {
  const [words, numbers]: [string[], number[]] = [[], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of furtherIn(batch)) {
      if (entry.search === null) continue;
      words.push(plainWords(entry.search));
      numbers.push(index + 1, entry.facts);
    }
  });
  return [textArray(words), bigintArray(numbers)];
}

/** Of the same: body; n, facts, drafts, crc; owner */
export function draftValues(groups: readonly Group[]): Value[] {
  const [bodies, numbers, owners]: [string[], number[], string[]] = [[], [], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of furtherIn(batch)) {
      if (entry.owner === null) continue;
      bodies.push(entry.body);
      numbers.push(index + 1, entry.facts, entry.drafts, entry.crc);
      owners.push(entry.owner);
    }
  });
  return [textArray(bodies), bigintArray(numbers), textArray(owners)];
}

/** owner; n, since */
export function sweepValues(
  groups: readonly Group[],
  startOf: (log: LogId, owner: string) => number,
): Value[] {
  const [owners, numbers]: [string[], number[]] = [[], []];
  groups.forEach(({ log, batch }, index) => {
    for (const owner of batch.sweeps) {
      owners.push(owner);
      numbers.push(index + 1, startOf(log, owner));
    }
  });
  return [textArray(owners), bigintArray(numbers)];
}

function furtherIn({ entries }: Batch): Entry[] {
  return entries.slice(1);
}
