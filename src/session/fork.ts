// A fork is self-contained: the facts up to a point, and what it takes to make them whole without the rest.
import type { AnyEvent, NewFact } from "./event.ts";
import { START, type Position } from "./position.ts";
import { EMPTY_ROW, type RowState } from "./row.ts";
import type { ToolPart, View } from "./view.ts";

/** Positions at which nothing is half done: after these the last step and all of its calls are complete. */
const REST: ReadonlySet<string> = new Set([
  "session_created",
  "session_titled",
  "model_changed",
  "turn_ended",
  "session_forked",
  "session_imported",
  "notice",
]);

/**
 * Moves `at` back to the end of a step. `facts` are those up to `at`, oldest first, beginning where nothing is open;
 * START when there is no such point among them.
 */
export function forkPoint(facts: readonly AnyEvent[], at?: Position): Position {
  let point: Position = START;
  let streaming = false;
  const open = new Set<string>();
  for (const event of facts) {
    if (event.type === "draft" || (at !== undefined && event.position > at)) continue;
    const fact = event as AnyEvent & NewFact;
    if (fact.type === "step_started") streaming = true;
    if (fact.type === "step_completed" || fact.type === "step_aborted") streaming = false;
    if (fact.type === "step_completed")
      for (const piece of fact.data.message) if (piece.type === "call") open.add(piece.call);
    if (fact.type === "tool_finished") open.delete(fact.data.call);
    if (fact.type === "turn_ended" || fact.type === "session_ended") {
      streaming = false;
      open.clear();
    }
    if (fact.type === "session_ended") continue; // the copy goes on
    const ends =
      REST.has(fact.type) ||
      fact.type === "step_completed" ||
      fact.type === "tool_finished" ||
      fact.type === "step_aborted";
    if (ends && !streaming && open.size === 0) point = event.position;
  }
  return point;
}

/** What to append to the copied facts, so that nothing in the copy waits for what only the original has. */
export function mendFork(view: View, how: "forked" | "imported" = "forked"): NewFact[] {
  const facts: NewFact[] = [];
  for (const { ask, kind } of view.asks)
    facts.push({ type: "ask_closed", data: { ask, kind, reason: "withdrawn" } });
  for (const { input } of view.queue) facts.push({ type: "input_withdrawn", data: { input } });
  for (const part of openCalls(view))
    facts.push({
      type: "tool_finished",
      data: {
        call: part.call,
        status: "unknown",
        result: `The session was ${how} before this call had a result.`,
      },
    });
  if (view.turn)
    facts.push({
      type: "turn_ended",
      data: { turn: view.turn.id, outcome: "stopped", message: `${how} here` },
    });
  if (view.held) facts.push({ type: "queue_released", data: {} });
  return facts;
}

/** The index row that a view implies: for a copy, whose row can't be summed up from appends. */
export function rowOf(view: View): RowState {
  return {
    ...EMPTY_ROW,
    title: view.meta.title,
    model: view.meta.model,
    turn: view.turn?.id ?? null,
    retryAt: view.turn?.retryAt ?? null,
    recovering: view.turn?.recovering ?? false,
    held: view.held,
    failed: view.failed,
    ended: view.ended !== null,
    successor: view.ended?.successor ?? null,
    messages: view.counts.messages,
    tools: view.counts.tools,
    queued: view.queue.length,
    approvals: view.asks.filter(({ kind }) => kind === "approval").length,
    questions: view.asks.filter(({ kind }) => kind === "clarify").length,
    inputTokens: view.usage.inputTokens,
    outputTokens: view.usage.outputTokens,
    cost: view.usage.cost ?? 0,
    unpricedTokens: view.usage.unpricedTokens ?? 0,
  };
}

export function openCalls(view: View): ToolPart[] {
  return view.messages.flatMap((message) =>
    message.kind === "step"
      ? message.parts.filter(
          (part): part is ToolPart => part.kind === "tool" && part.call !== "" && part.state !== "finished",
        )
      : [],
  );
}
