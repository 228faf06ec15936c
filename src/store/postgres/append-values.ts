// What goes with the statement that appends: for each of its parts the columns of its rows, group by group. A row names
// its group by number, from 1. Written as loops, since this is where this process spends most of an append's time.
import type { LogId } from "../store.ts";
import { plainWords } from "../words.ts";
import type { Group } from "./append-group.ts";
import type { Value } from "./database.ts";
import { bigintArray, textArray } from "./wire.ts";

/** id, holder, epoch, ttl, expect, facts, drafts, closes */
export function groupValues(groups: readonly Group[]): Value[] {
  const [logs, holders]: [string[], (string | null)[]] = [[], []];
  const [epochs, ttls, expects]: [(number | null)[], (number | null)[], (number | null)[]] = [[], [], []];
  const [facts, drafts, closes]: [number[], number[], number[]] = [[], [], []];
  for (const { log, writer, expectSeq, batch } of groups) {
    const lease = writer.by === "executor" ? writer.lease : undefined;
    logs.push(log);
    holders.push(lease?.holder ?? null);
    epochs.push(lease?.epoch ?? null);
    ttls.push(lease?.ttlMs ?? null);
    expects.push(expectSeq ?? null);
    facts.push(batch.facts);
    drafts.push(batch.drafts);
    closes.push(batch.ends ? 1 : 0);
  }
  return [
    textArray(logs),
    textArray(holders),
    ...[epochs, ttls, expects, facts, drafts, closes].map(bigintArray),
  ];
}

/** scope, key, digest, note */
export function keyValues(groups: readonly Group[]): Value[] {
  return (["scope", "key", "digest", "note"] as const).map((part) =>
    textArray(groups.map(({ key }) => key?.[part] ?? null)),
  );
}

/** n, facts, crc, tally, author, body */
export function factValues(groups: readonly Group[]): Value[] {
  const [n, facts, crcs]: [number[], number[], number[]] = [[], [], []];
  const [tallies, authors, bodies]: [(string | null)[], (string | null)[], string[]] = [[], [], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of batch.entries) {
      if (entry.owner !== null) continue;
      n.push(index + 1);
      facts.push(entry.facts);
      crcs.push(entry.crc);
      tallies.push(entry.tally);
      authors.push(entry.author);
      bodies.push(entry.body);
    }
  });
  return [
    bigintArray(n),
    bigintArray(facts),
    bigintArray(crcs),
    textArray(tallies),
    textArray(authors),
    textArray(bodies),
  ];
}

/** n, facts, words */
export function wordValues(groups: readonly Group[]): Value[] {
  const [n, facts, words]: [number[], number[], string[]] = [[], [], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of batch.entries) {
      if (entry.search === null) continue;
      n.push(index + 1);
      facts.push(entry.facts);
      words.push(plainWords(entry.search));
    }
  });
  return [bigintArray(n), bigintArray(facts), textArray(words)];
}

/** n, facts, drafts, crc, owner, body */
export function draftValues(groups: readonly Group[]): Value[] {
  const [n, facts, drafts, crcs]: [number[], number[], number[], number[]] = [[], [], [], []];
  const [owners, bodies]: [string[], string[]] = [[], []];
  groups.forEach(({ batch }, index) => {
    for (const entry of batch.entries) {
      if (entry.owner === null) continue;
      n.push(index + 1);
      facts.push(entry.facts);
      drafts.push(entry.drafts);
      crcs.push(entry.crc);
      owners.push(entry.owner);
      bodies.push(entry.body);
    }
  });
  return [
    bigintArray(n),
    bigintArray(facts),
    bigintArray(drafts),
    bigintArray(crcs),
    textArray(owners),
    textArray(bodies),
  ];
}

/** n, owner, since */
export function sweepValues(
  groups: readonly Group[],
  startOf: (log: LogId, owner: string) => number,
): Value[] {
  const [n, owners, starts]: [number[], string[], number[]] = [[], [], []];
  groups.forEach(({ log, batch }, index) => {
    for (const owner of batch.sweeps) {
      n.push(index + 1);
      owners.push(owner);
      starts.push(startOf(log, owner));
    }
  });
  return [bigintArray(n), textArray(owners), bigintArray(starts)];
}
