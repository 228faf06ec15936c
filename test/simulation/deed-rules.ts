// What a log tells is what happened: its results, its answers, its stops and its takeovers, held against the ledger.
import { isDeepStrictEqual } from "node:util";
import { processName } from "../../src/executor/derived-ids.ts";
import type { Fact, FactData } from "../../src/session/event.ts";
import type { Ledger } from "./ledger.ts";
import type { Check } from "./log-rules.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { ProcessTable } from "./process-table.ts";
import { STORE } from "./store-link.ts";

export type Deeds = { memory: MemoryStore; table: ProcessTable; ledger: Ledger };

export function checkDeeds(
  { table, ledger }: Deeds,
  session: string,
  facts: readonly Fact[],
  check: Check,
): void {
  checkCalls(session, facts, table, ledger, check);
  checkAnswers(session, facts, ledger, check);
  checkStops(facts, ledger, check);
  for (const { position, type, data } of facts)
    if (type === "turn_ended") check(isExpected(data.error), `${position}: ${data.error?.message}`);
}

/** What was there when someone died is there ever after. */
export function checkKept({ memory, ledger }: Deeds, check: Check): void {
  const deleted = new Set(memory.deletions.map(({ session }) => session));
  for (const { session, position, text } of ledger.kept) {
    if (deleted.has(session)) continue;
    const stored = memory.logs.get(session)?.stored ?? [];
    const isThere = stored.some((event) => event.position === position && event.text === text);
    check(
      isThere,
      `${session}: the fact at ${position} was there when an executor died, and is not any more`,
    );
  }
}

/** Nobody loses a lease for nothing. */
export function checkTakeovers({ memory, ledger }: Deeds, check: Check): void {
  const { deaths, shutdowns, troubled, clockJumped } = ledger;
  for (const { log, from } of memory.takeovers) {
    const hasCause = clockJumped || [deaths, shutdowns, troubled].some((all) => all.has(from));
    check(hasCause, `${log}: taken from ${from}, to whom nothing had happened`);
  }
}

type Finish = FactData<"tool_finished">;

/** What a call did is what its result says, and it did it once. */
function checkCalls(
  session: string,
  facts: readonly Fact[],
  table: ProcessTable,
  ledger: Ledger,
  check: Check,
): void {
  const finishes = new Map<string, Finish & { at: string }>();
  for (const { type, data, at } of facts)
    if (type === "tool_finished") finishes.set(data.call, { ...data, at });
  const asked = new Set(
    facts.flatMap(({ type, data }) =>
      type === "ask_opened" && data.kind === "approval" && data.call !== undefined ? [data.call] : [],
    ),
  );
  const allowed = allowedCalls(facts);
  const background = new Set(
    facts.flatMap(({ type, data }) =>
      type === "process_started" && data.background && data.call !== undefined ? [data.call] : [],
    ),
  );
  for (const fact of facts) {
    if (fact.type !== "step_completed") continue;
    for (const piece of fact.data.message) {
      if (piece.type !== "call") continue;
      const { call, name } = piece;
      const finish = finishes.get(call);
      if (!finish) continue; // said already, where its turn ends
      const { status } = finish;
      const effects = name === "shell" ? begun(table, session, call) : ledger.effectsOf(session, call);
      const which = `${name} ${call} (${status})`;
      if (name === "shell" || name === "launch") check(effects <= 1, `${which} took effect ${effects} times`);
      if (asked.has(call) && !allowed.has(call)) check(effects === 0, `${which} was never allowed, but ran`);
      if (status === "denied") check(effects === 0, `${which} took effect`);
      if (status === "ok" && name !== "ask" && name !== "delegate")
        check(effects >= 1, `${which} never took effect`);
      if (name !== "shell") continue;
      const process = lastProcess(facts, call);
      const real = process === undefined ? undefined : table.get(process);
      if (finish.exit !== undefined)
        check(real?.state === "exited" && real.exit === finish.exit, `${which} tells exit ${finish.exit}`);
      if (status === "error" && finish.exit === undefined)
        check(effects === 0, `${which} tells that it could not begin, but it did`);
      if (real && !ledger.unstopped.has(real.id) && !background.has(call) && !ledger.clockWentBack)
        check(
          real.endedAt !== null && real.endedAt <= finish.at,
          `${which} still ran when its result was told`,
        );
    }
  }
}

function allowedCalls(facts: readonly Fact[]): Set<string> {
  const callOf = new Map<string, string>();
  const allowed = new Set<string>();
  for (const { type, data } of facts) {
    if (type === "ask_opened" && data.call !== undefined) callOf.set(data.ask, data.call);
    const call = type === "ask_answered" ? callOf.get(data.ask) : undefined;
    if (type === "ask_answered" && call !== undefined && data.answer.choice !== "deny") allowed.add(call);
  }
  return allowed;
}

function begun(table: ProcessTable, session: string, call: string): number {
  const name = processName(STORE, session, call, 1);
  return table.begun.get(name.slice(0, name.lastIndexOf("."))) ?? 0;
}

function lastProcess(facts: readonly Fact[], call: string): string | undefined {
  const started = facts.findLast(({ type, data }) => type === "tool_started" && data.call === call);
  return started?.type === "tool_started" ? started.data.process : undefined;
}

/** What stands in the log as the model's is what the model said. */
function checkAnswers(session: string, facts: readonly Fact[], ledger: Ledger, check: Check): void {
  for (const { position, type, data } of facts)
    if (type === "step_completed")
      check(
        ledger.answersOf(session, data.step).some((answer) => isDeepStrictEqual(answer, data.message)),
        `${position}: ${data.step} is not what the model said`,
      );
}

/** Whoever is at work and can hear of a stop honours it soon. */
function checkStops(facts: readonly Fact[], { pauses }: Ledger, check: Check): void {
  for (const [n, stop] of facts.entries()) {
    if (stop.type !== "stop_requested") continue;
    const { turn } = stop.data;
    const end = facts.find(({ type, data }) => type === "turn_ended" && data.turn === turn);
    const before = facts.findLast(({ by }, at) => at < n && "epoch" in by)?.by;
    if (!end || !before || !isDeepStrictEqual(before, end.by) || !("epoch" in before)) continue;
    const from = Date.parse(stop.at);
    const tookMs = (Date.parse(end.at) - from) % DAY_MS; // a clock that jumps, jumps by days
    const stoodStill = pauses.some((each) => each.node === before.executor && each.until > from);
    check(stoodStill || tookMs <= STOP_WITHIN_MS, `${stop.position}: honoured after ${tookMs} ms`);
  }
}

/** A tool that takes no notice, then a few slow answers of the store. */
const STOP_WITHIN_MS = 20_000;
const DAY_MS = 24 * 3600_000;

function isExpected(error: FactData<"turn_ended">["error"]): boolean {
  return error?.code !== "internal" || error.message.includes("the disk failed");
}
