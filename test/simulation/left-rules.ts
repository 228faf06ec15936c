// What must not be left behind once all is done: of a deleted session nothing at all, and of the others no row, timer or
// process that nobody will ever come back to.
import type { Fact } from "../../src/session/event.ts";
import { UNHEARD } from "../../src/session/succeed.ts";
import { ownFacts, type Check } from "./log-rules.ts";
import type { Deeds } from "./deed-rules.ts";

export function checkLeft(deeds: Deeds, now: number, check: Check): void {
  checkRows(deeds, now, check);
  checkEnds(deeds, check);
  checkOrigins(deeds, check);
}

function checkRows({ memory, table, ledger }: Deeds, now: number, check: Check): void {
  const { rows, logs } = memory;
  for (const { key, log, dueAt } of rows.timers.values()) {
    check(logs.has(log), `the timer ${key} is of ${log}, which is gone`);
    check(Date.parse(dueAt) > now, `the timer ${key} was due at ${dueAt}, and nobody acted on it`);
  }
  for (const [ask, { session, open }] of rows.asks) {
    check(logs.has(session), `${ask} is of ${session}, which is gone`);
    check(!open, `${ask} is open though all is done`);
  }
  for (const { id, session, status, exit, cause } of rows.processes.values()) {
    check(logs.has(session), `the row of ${id} is of ${session}, which is gone`);
    check(status !== "running", `${id} is said to run`);
    if (status === "exited" && cause !== "unstarted" && exit !== null)
      check(table.get(id)?.exit === exit, `${id} is said to have ended with ${exit}`);
  }
  for (const id of table.running())
    check(ledger.unstopped.has(id), `${id} runs on though its session is gone or it was asked to end`);
}

/** Each end of a process is told once, unless its session is gone. */
function checkEnds({ memory, table }: Deeds, check: Check): void {
  const told = new Map<string, number>();
  for (const { stored } of memory.logs.values())
    for (const { type, data } of ownFacts(stored.map(({ text }) => JSON.parse(text) as Fact)))
      if (type === "process_exited" || type === "process_lost" || type === "process_stopped")
        told.set(data.process, (told.get(data.process) ?? 0) + 1);
  for (const [id, count] of told) check(count === 1, `the end of ${id} was told ${count} times`);
  for (const { id, status } of memory.rows.processes.values())
    if (status !== "running" && table.get(id)) check(told.has(id), `the end of ${id} was told in no log`);
}

/**
 * Nobody waits for one that is gone or done, and nobody works for one that is gone; what came of it was told once, or
 * never where somebody went back over what began it.
 */
function checkOrigins({ memory }: Deeds, check: Check): void {
  const returns = new Map<string, number>();
  const given = new Set<string>();
  for (const { id, stored } of memory.logs.values())
    for (const { type, data, by } of ownFacts(stored.map(({ text }) => JSON.parse(text) as Fact))) {
      if (type === "delegate_returned") returns.set(data.session, (returns.get(data.session) ?? 0) + 1);
      const head = memory.logs.get(memory.session(id)?.head ?? "");
      if (type === "delegated" && "executor" in by && !head?.closed) given.add(data.session);
    }
  const unheard = unheardIn(memory);
  for (const session of given) {
    const times = returns.get(session) ?? 0;
    check(times === (unheard.has(session) ? 0 : 1), `what came of ${session} was told ${times} times`);
  }
  for (const { id, origin, closed } of memory.logs.values()) {
    if (origin?.kind === "delegation")
      check(memory.logs.has(origin.session), `${id} works for ${origin.session}, which is gone`);
    if (closed) continue; // its successor waits in its place
    for (const { session } of memory.view(id)?.delegates ?? [])
      check(false, `${id} still waits for ${session}, though all is done`);
  }
}

function unheardIn({ logs }: Deeds["memory"]): Set<string> {
  const unheard = new Set<string>();
  for (const { stored } of logs.values())
    for (const { type, data } of stored.map(({ text }) => JSON.parse(text) as Fact))
      if (type === "notice" && data.text.endsWith(UNHEARD)) unheard.add(data.text.split(" ")[0] ?? "");
  return unheard;
}
