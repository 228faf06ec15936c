// The end of a turn that a person stopped or that can't go on: first what still runs of it, then the facts.
import type { NewFact } from "../session/event.ts";
import { foregroundDelegates, openCalls } from "../session/next-step.ts";
import type { Commands } from "./commands.ts";
import type { Delegates } from "./delegates.ts";
import type { HeldSession } from "./held-session.ts";

export type Work = { commands: Commands; delegates: Delegates };

/** What runs in the background goes on. */
export async function endTurn(
  { commands, delegates }: Work,
  session: HeldSession,
  facts: NewFact[],
): Promise<void> {
  const { view } = session;
  const processes = openCalls(view).flatMap(({ process }) => (process === null ? [] : [process]));
  const [stops] = await Promise.all([
    Promise.allSettled(processes.map((process) => commands.stop(process, "stopped"))),
    Promise.all(foregroundDelegates(view).map((delegate) => delegates.stop(delegate.session))),
  ]);
  const unstopped = new Map<string, NewFact>();
  for (const [n, process] of processes.entries()) {
    const stop = stops[n];
    if (stop?.status === "rejected") unstopped.set(process, stillThere(process, stop.reason));
  }
  const told = facts.filter((fact) => fact.type !== "process_stopped" || !unstopped.has(fact.data.process));
  await session.appendDecided([...unstopped.values(), ...told]); // else it is decided anew, on what came meanwhile
}

/** A command that nothing can end must not hold its turn for ever: it stays in the list, and a person is told. */
function stillThere(process: string, reason: unknown): NewFact {
  const why = reason instanceof Error ? reason.message : String(reason);
  return { type: "notice", data: { level: "error", text: `${process} still runs: ${why}` } };
}
