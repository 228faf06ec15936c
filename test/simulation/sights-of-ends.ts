// Which ends a run came through: of sessions, of processes that nobody waits for, and of asks that nobody answered.
import { GONE } from "../../src/executor/return-delegate.ts";
import type { Fact } from "../../src/session/event.ts";
import { UNHEARD } from "../../src/session/succeed.ts";
import type { Ledger } from "./ledger.ts";
import { ownFacts } from "./log-rules.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Reached } from "./reached.ts";

export function noteEnds(reached: Reached, memory: MemoryStore, ledger: Ledger): void {
  for (const { turn, root } of memory.deletions) {
    if (!root) reached.note("what worked for a deleted session went with it");
    else if (turn) reached.note("a session was deleted while a turn ran");
    else reached.note("a session was deleted while it rested");
  }
  for (const { id, outcome } of memory.rows.requests.values())
    if (outcome === "stopped" && id.startsWith("req_end_"))
      reached.note("a process of a deleted session was ended");
  for (const { stored } of memory.logs.values()) {
    const facts = stored.map(({ text }) => JSON.parse(text) as Fact);
    const own = ownFacts(facts);
    if (own.length < facts.length) reached.note("a session went on in a successor");
    for (const fact of own) noteEnd({ facts, own, ledger, reached }, fact);
  }
}

type Sight = { facts: readonly Fact[]; own: readonly Fact[]; ledger: Ledger; reached: Reached };

function noteEnd({ facts, own, ledger, reached }: Sight, { type, data, by }: Fact): void {
  if ((type === "process_exited" || type === "process_lost") && "keeper" in by) {
    const unseen = ledger.unseenEnds.has(data.process);
    reached.note(
      unseen
        ? "a process ended while no server was there, and was told of"
        : "a process ended while a server was there, and was told of",
    );
    const started = own.find((fact) => fact.type === "process_started" && fact.data.process === data.process);
    if (own.length < facts.length && started?.type === "process_started" && started.data.call === undefined)
      reached.note("a process went over to a successor, and its end was told there");
    if (ledger.unstopped.has(data.process))
      reached.note("a command that would not end was told of once it had");
  }
  if (type === "delegate_returned") {
    if (data.summary === GONE.text)
      reached.note("a delegate was deleted, and whoever waited for it was told");
    else if (own.length < facts.length && isCarried(own, data.session))
      reached.note("a delegate went over to a successor, and returned there");
  }
  if (type === "notice" && data.text.endsWith(UNHEARD))
    reached.note("what began a delegate was gone back over, and its result came to nobody");
  if (type === "ask_closed" && data.reason === "expired")
    reached.note("an ask expired, and its call was denied");
  if (type !== "ask_answered") return;
  const opened = facts.find((fact) => fact.type === "ask_opened" && fact.data.ask === data.ask);
  if (opened?.type === "ask_opened" && opened.data.expires !== undefined)
    reached.note("an ask that could expire was answered in time");
}

/** Given to it with the other facts that a successor begins with, and not by a step of its own. */
function isCarried(own: readonly Fact[], session: string): boolean {
  const given = own.find((fact) => fact.type === "delegated" && fact.data.session === session);
  return given !== undefined && "person" in given.by;
}
