// The end of a turn that a person stopped or that can't go on: first what still runs of it, then the facts. What they say
// of a command is what its own trace says: one that came to its end while nobody looked has its output and exit code.
import type { NewFact } from "../session/event.ts";
import { foregroundDelegates, openCalls } from "../session/next-step.ts";
import { endedCommand, endOfCommand, type EndFacts, type Telling } from "./command-end.ts";
import type { Commands, CommandState } from "./commands.ts";
import { childId } from "./derived-ids.ts";
import type { Delegates } from "./delegates.ts";
import type { HeldSession } from "./held-session.ts";

export type Work = { commands: Commands; delegates: Delegates; longText: Telling["longText"] };

type Finished = EndFacts["call"];
type Ended = Partial<EndFacts> & { unstopped?: NewFact };

/** What runs in the background goes on. */
export async function endTurn(work: Work, session: HeldSession, facts: NewFact[]): Promise<void> {
  const { view } = session;
  const planned = new Map(facts.filter(isFinished).map((fact) => [fact.data.call, fact]));
  const commands = openCalls(view).flatMap(({ call, process }) => {
    const fact = planned.get(call);
    return process === null || !fact ? [] : [{ call, process, fact }];
  });
  const [ends] = await Promise.all([
    Promise.all(commands.map(({ process, fact }) => endCommand(work, process, fact))),
    Promise.all(delegatesToEnd(session).map((child) => work.delegates.stop(child))),
  ]);
  const byCall = new Map(commands.map(({ call }, n) => [call, ends[n]]));
  const byProcess = new Map(commands.map(({ process }, n) => [process, ends[n]]));
  const told = facts.flatMap((fact): NewFact[] => {
    if (fact.type === "tool_finished") return [byCall.get(fact.data.call)?.call ?? fact];
    if (fact.type !== "process_stopped") return [fact];
    const ended = byProcess.get(fact.data.process);
    return ended?.unstopped ? [] : [ended?.process ?? fact];
  });
  const unstopped = ends.flatMap((ended) => ended.unstopped ?? []);
  await session.appendDecided([...unstopped, ...told]); // else it is decided anew, on what came meanwhile
}

/** Ended for sure, with what it left behind, whatever became of it before. */
async function endCommand(work: Work, process: string, planned: Finished): Promise<Ended> {
  const { call } = planned.data;
  let before: CommandState;
  try {
    before = await work.commands.find(process);
    await work.commands.stop(process, "stopped");
  } catch (error) {
    return { unstopped: stillThere(process, error) };
  }
  if (before.state === "unstarted") return neverBegan(process, planned);
  // Stopped before the end could be told, here or by whoever died over it: it is decided anew, and is still a stop.
  const wasStopped =
    before.state === "exited" && before.cause === "stopped" && planned.data.status === "stopped";
  if (before.state !== "running" && !wasStopped) return endOfCommand(work, call, process, before);
  const after = await work.commands.find(process);
  return endedCommand(work, call, process, after.state === "exited" ? after.exit : null, whyEnded(planned));
}

function neverBegan(process: string, planned: Finished): Ended {
  const { call, status } = planned.data;
  return {
    process: { type: "process_exited", data: { process, exit: null, cause: "unstarted" } },
    call:
      status === "stopped"
        ? planned
        : { type: "tool_finished", data: { call, status: "error", result: "It was never started." } },
  };
}

function whyEnded({ data: { status } }: Finished): string {
  return status === "stopped" ? "stopped by a person" : "ended with its turn, which could not go on";
}

function isFinished(fact: NewFact): fact is Finished {
  return fact.type === "tool_finished";
}

/**
 * Those that its log names, and those that a crash kept it from naming: a child is made before that, under the name of its
 * call, and would wait for ever to be let go. Of a call that was no delegate's there is none.
 */
function delegatesToEnd({ id, view }: HeldSession): string[] {
  const named = foregroundDelegates(view).map(({ session }) => session);
  const unnamed = openCalls(view)
    .filter(({ state, process }) => state === "started" && process === null)
    .map(({ call }) => childId(id, call));
  return [...new Set([...named, ...unnamed])];
}

/** A command that nothing can end must not hold its turn for ever: it stays in the list, and a person is told. */
function stillThere(process: string, reason: unknown): NewFact {
  const why = reason instanceof Error ? reason.message : String(reason);
  return { type: "notice", data: { level: "error", text: `${process} still runs: ${why}` } };
}
