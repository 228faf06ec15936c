// Facts that are no row of the transcript, in a line each: what happened to the queue, the asks, the processes.
import type { AnyEvent, Fact, FactData } from "../../session/event.ts";
import { shown } from "../../session/search-text.ts";
import type { Style } from "../terminal.ts";
import { visibleLine } from "../visible.ts";

export type Happening = { style: Style; text: string };

/** Undefined for what the transcript shows otherwise, or need not show. */
export function happeningOf(event: AnyEvent): Happening | undefined {
  const fact = event as Fact; // a type that we do not know falls through
  switch (fact.type) {
    case "session_titled":
      if ("executor" in fact.by) return undefined; // after its first input, which stands right there
      return dim(`titled "${visibleLine(fact.data.title)}"`);
    case "model_changed":
      return dim(`model is now ${visibleLine(fact.data.model)}`);
    case "input_edited":
      return dim(`queued input changed: ${visibleLine(shown(fact.data.text))}`);
    case "input_withdrawn":
      return dim("queued input withdrawn");
    case "queue_held":
      return { style: "yellow", text: `queue held: ${visibleLine(fact.data.reason)}` };
    case "queue_released":
      return dim("queue goes on");
    case "stop_requested":
      return { style: "yellow", text: "stop requested" };
    case "ask_opened":
      return { style: "yellow", text: openedWords(fact.data) };
    case "ask_answered":
      return { style: "green", text: `answered: ${answerWords(fact.data.answer)}` };
    case "ask_closed":
      return dim(`ask ${fact.data.reason}`);
    case "process_started":
      return fact.data.background ? dim(`process started: ${visibleLine(fact.data.command)}`) : undefined;
    case "process_exited":
      return dim(`process ${fact.data.process} exited: ${fact.data.exit ?? "by a signal"}`);
    case "process_lost":
      return { style: "red", text: `process ${fact.data.process} was lost` };
    case "process_stopped":
      return dim(`process ${fact.data.process} stopped`);
    case "process_stale":
      return { style: "yellow", text: `process ${fact.data.process} is stale` };
    case "delegated":
      return dim(`delegated to ${fact.data.session}`);
    case "delegate_returned":
      return dim(`${fact.data.session} returned: ${fact.data.outcome}`);
    case "compaction_started":
      return dim("compacting the context");
    case "compaction_failed":
      return { style: "yellow", text: `compaction failed: ${visibleLine(fact.data.reason)}` };
    case "executor_lost":
      return { style: "yellow", text: "its server was lost; it goes on when another takes over" };
    case "rule_added":
      return dim(
        `rule added: ${fact.data.decision} ${visibleLine(`${fact.data.tool} ${fact.data.shown ?? fact.data.match}`)}`,
      );
    case "session_created":
    case "workspace_chosen":
    case "session_forked":
    case "session_imported":
    case "session_ended":
    case "reset_skipped":
    case "input_admitted":
    case "input_moved":
    case "input_delivered":
    case "turn_started":
    case "turn_detached":
    case "turn_ended":
    case "step_started":
    case "step_completed":
    case "step_aborted":
    case "tool_proposed":
    case "tool_started":
    case "tool_finished":
    case "context_compacted":
    case "task_linked":
    case "task_finished":
    case "executor_recovered":
    case "executor_gave_up":
    case "notice":
      return undefined;
    default:
      fact satisfies never;
      return undefined;
  }
}

/** The call that it is about stands in the line above. */
function openedWords(ask: FactData<"ask_opened">): string {
  if (ask.call === undefined) return askWords(ask);
  const offered = ask.choices?.map(({ label }) => visibleLine(label)).join(" | ");
  return `waits for ${ask.kind === "approval" ? "approval" : "an answer"}${offered ? `: ${offered}` : ""}`;
}

export function askWords({ kind, title, command, choices }: FactData<"ask_opened">): string {
  const what = kind === "approval" ? "approval needed" : "question";
  const isNamed = command === undefined || visibleLine(title).includes(visibleLine(command));
  const run = isNamed ? "" : `: ${visibleLine(command)}`;
  const offered = choices?.map(({ label }) => visibleLine(label)).join(" | ");
  return `${what}: ${visibleLine(title)}${run}${offered ? ` [${offered}]` : ""}`;
}

export function answerWords({ choice, text, values }: FactData<"ask_answered">["answer"]): string {
  return visibleLine([choice, values?.join(", "), text].filter((part) => part !== undefined).join(": "));
}

function dim(text: string): Happening {
  return { style: "dim", text };
}
