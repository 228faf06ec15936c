// What goes with the statement that appends: for each of its parts the columns of its rows (rows-along.ts), group by
// group. A row names its group by number, from 1. Written as loops, since this is where this process spends most of an append's time.
import type { LogId } from "../store.ts";
import { plainWords } from "../words.ts";
import type { Group } from "./append-group.ts";
import type { Value } from "./database.ts";
import { NO_NUMBER } from "./rows-along.ts";
import { bigintArray, textArray } from "./wire.ts";

/** id; epoch, ttl, expect, facts, drafts, closes; holder */
export function groupValues(groups: readonly Group[]): Value[] {
  const [logs, holders]: [string[], (string | null)[]] = [[], []];
  const numbers: number[] = [];
  for (const { log, writer, expectSeq, batch } of groups) {
    const lease = writer.by === "executor" ? writer.lease : undefined;
    logs.push(log);
    holders.push(lease?.holder ?? null);
    numbers.push(
      lease?.epoch ?? NO_NUMBER,
      lease?.ttlMs ?? NO_NUMBER,
      expectSeq ?? NO_NUMBER,
      batch.facts,
      batch.drafts,
      batch.ends ? 1 : 0,
    );
  }
  return [textArray(logs), bigintArray(numbers), textArray(holders)];
}

/** scope, key, digest, note */
export function keyValues(groups: readonly Group[]): Value[] {
  return (["scope", "key", "digest", "note"] as const).map((part) =>
    textArray(groups.map(({ key }) => key?.[part] ?? null)),
  );
}

/** body; n, facts, crc; tally, author */
export function factValues(groups: readonly Group[]): Value[] {
  const [bodies, numbers]: [string[], number[]] = [[], []];
  const [tallies, authors]: [(string | null)[], (string | null)[]] = [[], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of batch.entries) {
      if (entry.owner !== null) continue;
      bodies.push(entry.body);
      numbers.push(index + 1, entry.facts, entry.crc);
      tallies.push(entry.tally);
      authors.push(entry.author);
    }
  });
  return [textArray(bodies), bigintArray(numbers), textArray(tallies), textArray(authors)];
}

/** words; n, facts */
export function wordValues(groups: readonly Group[]): Value[] {
  const [words, numbers]: [string[], number[]] = [[], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of batch.entries) {
      if (entry.search === null) continue;
      words.push(plainWords(entry.search));
      numbers.push(index + 1, entry.facts);
    }
  });
  return [textArray(words), bigintArray(numbers)];
}

/** body; n, facts, drafts, crc; owner */
export function draftValues(groups: readonly Group[]): Value[] {
  const [bodies, numbers, owners]: [string[], number[], string[]] = [[], [], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of batch.entries) {
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
