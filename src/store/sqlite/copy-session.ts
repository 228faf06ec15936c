// What a fork and a successor have in common: facts of a log become another's, with the drafts of what broke off. Planned
// here, copied by the writer in slices: neither ever changes, so the original may grow meanwhile.
import type { By } from "../../session/event.ts";
import { seqOf, START, type Position } from "../../session/position.ts";
import { prepareBatch } from "../batch.ts";
import { planFork, type Following, type ForkPlan } from "../fork-plan.ts";
import type { Command, Forked, LogId } from "../store.ts";
import type { Context } from "./context.ts";
import { personOf } from "./create-session.ts";
import type { CopiedSession } from "./fork-copy.ts";
import { packBatch } from "./packed-batch.ts";
import { readEvents, readEventsBefore, readHead } from "./read-events.ts";
import { readSnapshot } from "./view.ts";

export type Copying = {
  from: LogId;
  /** The end of the log when absent. */
  at: Position | undefined;
  following: Following;
  author: By;
  command: Command | undefined;
  /** The last transaction, which makes the copy a session. */
  finish: (copied: CopiedSession, point: Position) => Promise<Forked>;
};

export async function copySession(
  { writer, reader, clock }: Context,
  { from, at, following, author, command, finish }: Copying,
): Promise<Forked> {
  const head = readHead(reader, from);
  const begun = await writer.call("beginFork", command);
  if ("forked" in begun) return begun.forked;
  const { key } = begun;
  let forked: Forked | undefined;
  try {
    if (head?.kind !== "session") return (forked = { ok: false, code: "not_found" });
    const end = at ?? head.position;
    const now = clock();
    const time = new Date(now).toISOString();
    const plan = end > head.position ? undefined : await plannedFork(end, time);
    if (!plan) return (forked = { ok: false, code: "moved", position: head.position });
    if (!(await copied(plan))) return (forked = { ok: false, code: "not_found" });
    const { row, point } = plan;
    const batch = packBatch({ ...prepareBatch(plan.facts, time, author), change: undefined }, now);
    forked = await finish({ key, at: seqOf(point), row, batch, person: personOf(author), now }, point);
    return forked;
  } finally {
    if (!forked?.ok || forked.replayed) await writer.call("abandonFork", key);
  }

  function plannedFork(end: Position, time: string): Promise<ForkPlan | undefined> {
    const source = {
      log: from,
      read: async (after: Position, limit: number) => readEvents(reader, from, after, limit),
      readBefore: async (before: Position, limit: number) => readEventsBefore(reader, from, before, limit),
      snapshot: readSnapshot(reader, from),
    };
    return planFork(source, end, following, time, author);
  }

  async function copied({ point }: ForkPlan): Promise<boolean> {
    for (let reached = START; reached < point;) {
      const next = await writer.call("copyEvents", from, key, seqOf(point));
      if (next === undefined || next <= reached) return false;
      reached = next;
    }
    return true;
  }
}
