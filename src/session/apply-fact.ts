// What each fact changes in the view. A fact about something that the view no longer holds changes nothing of it.
import type { Area } from "./apply.ts";
import { attemptOf } from "./draft.ts";
import type { Fact } from "./event.ts";
import {
  blobOf,
  cutStrings,
  partsOf,
  preview,
  saidParts,
  stepMessage,
  stepOf,
  textOf,
  toolOf,
  type Step,
} from "./parts.ts";
import { tallyOf } from "./row.ts";
import { weight } from "./trim.ts";
import { addUsage, NO_USAGE } from "./usage.ts";
import type { Message, OpenAsk, QueuedInput, ToolPart, View, ViewProcess } from "./view.ts";

export type Changed = { messages: readonly string[]; areas: readonly Area[] };

const NONE: Changed = { messages: [], areas: [] };

export function applyFact(view: View, fact: Fact): Changed {
  const tally = tallyOf(fact);
  if (tally === "message") view.counts.messages += 1;
  if (tally === "tool") view.counts.tools += 1;

  const { position, at } = fact;
  const add = (id: string, message: Adding) => addMessage(view, { id, position, at, ...message });

  switch (fact.type) {
    case "session_created": {
      const { data } = fact;
      view.meta = {
        title: data.title ?? null,
        profile: data.profile,
        workspace: data.workspace ?? null,
        lane: data.lane ?? null,
        model: data.model ?? null,
        createdAt: at,
        origin: data.origin ?? null,
        forkedFrom: null,
        continues: data.continues ?? null,
      };
      return areas("meta");
    }
    case "workspace_chosen":
      view.meta.workspace = fact.data.workspace;
      return areas("meta");
    case "session_titled":
      view.meta.title = fact.data.title;
      return areas("meta");
    case "model_changed":
      view.meta.model = fact.data.model;
      return areas("meta");
    case "session_forked":
      view.usage = { ...NO_USAGE };
      view.processes = [];
      view.delegates = [];
      if (fact.data.continues) {
        view.meta.continues = fact.data.from;
        return areas("meta", "usage", "processes", "delegates");
      }
      view.meta.lane = null; // an address leads to one session, and that is still the original
      view.meta.forkedFrom = { session: fact.data.from, at: fact.data.at };
      view.meta.origin = { kind: "fork", session: fact.data.from, at: fact.data.at };
      add(position, { kind: "divider", divider: "forked", text: fact.data.from });
      return { messages: [position], areas: ["meta", "usage", "processes", "delegates"] };
    case "session_imported":
      // What it was part of, where it worked, what ran for it and what was allowed there are of another place.
      view.processes = [];
      view.delegates = [];
      view.rules = [];
      Object.assign(view.meta, { lane: null, origin: null, forkedFrom: null, continues: null });
      view.meta.workspace = fact.data.workspace ?? null;
      add(position, { kind: "divider", divider: "imported", text: fact.data.from ?? "" });
      return { messages: [position], areas: ["meta", "processes", "delegates", "rules"] };
    case "session_ended":
      view.ended = { reason: fact.data.reason, successor: fact.data.successor ?? null, at };
      view.turn = null;
      add(position, { kind: "divider", divider: "ended", text: fact.data.reason });
      return { messages: [position], areas: ["ended", "turn"] };
    case "rule_added":
      view.rules.push(fact.data);
      return areas("rules");

    case "input_admitted":
      view.queue.push(queuedInput(fact));
      view.held = false; // a new send goes on after a stop
      return areas("queue");
    case "input_edited": {
      const at = view.queue.findIndex(({ input }) => input === fact.data.input);
      if (at < 0) return NONE;
      view.queue[at] = queuedInput(fact);
      return areas("queue");
    }
    case "input_moved": {
      const queued = takeFromQueue(view, fact.data.input);
      if (!queued) return NONE;
      const before = view.queue.findIndex(({ input }) => input === fact.data.before);
      view.queue.splice(before < 0 ? view.queue.length : before, 0, queued);
      return areas("queue");
    }
    case "input_withdrawn":
      return takeFromQueue(view, fact.data.input) ? areas("queue") : NONE;
    case "input_delivered": {
      const queued = takeFromQueue(view, fact.data.input);
      if (!queued) return NONE;
      add(queued.input, {
        kind: "input",
        input: queued.kind,
        text: queued.text,
        by: queued.by,
        attachments: queued.attachments,
        turn: fact.data.turn,
        ...(queued.delegate && { delegate: queued.delegate }),
      });
      return { messages: [queued.input], areas: ["queue"] };
    }
    case "queue_held":
      view.held = true;
      return areas("queue");
    case "queue_released":
      view.held = false;
      return areas("queue");

    case "turn_started":
      view.turn = {
        id: fact.data.turn,
        inputs: fact.data.inputs,
        startedAt: at,
        stopRequested: false,
        usage: { ...NO_USAGE },
        steps: 0,
        retryAt: null,
        triedMs: 0,
        recovering: false,
        takeovers: 0,
      };
      view.failed = false;
      if (fact.data.retries === undefined) return areas("turn");
      add(position, { kind: "divider", divider: "retried", text: "person" in fact.by ? fact.by.person : "" });
      return { messages: [position], areas: ["turn"] };
    case "stop_requested":
      if (view.turn?.id !== fact.data.turn) return NONE;
      view.turn.stopRequested = true;
      return areas("turn");
    case "turn_detached":
      add(position, { kind: "divider", divider: "detached", text: fact.data.task });
      return { messages: [position], areas: [] };
    case "turn_ended": {
      const { data } = fact;
      const id = `${data.turn}/end`;
      add(id, {
        kind: "turn_end",
        turn: data.turn,
        outcome: data.outcome,
        message: data.message ?? null,
        error: data.error ?? null,
        usage: data.usage ?? view.turn?.usage ?? { ...NO_USAGE },
        startedAt: view.turn?.startedAt ?? null,
      });
      view.turn = null;
      view.failed = data.outcome === "failed";
      return { messages: [id], areas: ["turn"] };
    }

    case "step_started": {
      const { turn, step, attempt, model } = fact.data;
      const id = attemptOf(step, attempt);
      add(id, stepMessage({ turn, step, attempt, model }));
      view.failed = false;
      if (view.turn) {
        view.turn.retryAt = null;
        view.turn.recovering = false;
        if (attempt === 1) {
          view.turn.steps += 1;
          view.turn.takeovers = 0;
        }
      }
      return { messages: [id], areas: ["turn"] };
    }
    case "step_completed": {
      const { step, attempt, message, usage, finish } = fact.data;
      if (usage) {
        addUsage(view.usage, usage);
        if (view.turn) addUsage(view.turn.usage, usage);
      }
      if (view.turn) Object.assign(view.turn, { triedMs: 0, recovering: false }); // whoever was thought lost speaks
      const changed = changeStep(view, attemptOf(step, attempt), (row) => {
        row.parts = partsOf(step, attempt, message);
        row.state = "completed";
        row.usage = usage ?? null;
        row.finish = finish ?? null;
        row.endedAt = at;
      });
      return { messages: changed, areas: usage ? ["usage", "turn"] : ["turn"] };
    }
    case "step_aborted": {
      const { step, attempt, reason, retryAt, said, triedMs } = fact.data;
      const changed = changeStep(view, attemptOf(step, attempt), (row) => {
        if (row.parts.length === 0 && said !== undefined) row.parts = saidParts(row.id, said);
        row.state = "aborted";
        row.reason = fact.data.error?.message ?? reason;
        row.retryAt = retryAt ?? null;
        row.endedAt = at;
      });
      if (view.turn) {
        view.turn.retryAt = retryAt ?? null;
        view.turn.triedMs += triedMs ?? 0;
      }
      return { messages: changed, areas: ["turn"] };
    }

    case "tool_proposed": {
      const { call, name, args, effect } = fact.data;
      return changeTool(view, call, (part) => Object.assign(part, { name, args, effect, state: "proposed" }));
    }
    case "tool_started":
      return changeTool(view, fact.data.call, (part) => {
        part.state = "started";
        part.process = fact.data.process ?? null;
        part.trace = fact.data.trace ?? null;
        part.startedAt = at;
        part.draft = ""; // from here on the draft is what the tool says
        part.draftChars = 0;
      });
    case "tool_finished": {
      const { call, status, result, exit } = fact.data;
      const text = textOf(result);
      const wasRecovering = view.turn?.recovering === true;
      if (view.turn) view.turn.recovering = false;
      const changed = changeTool(view, call, (part) => {
        part.state = "finished";
        part.status = status;
        part.result = preview(text);
        part.resultChars = typeof result === "string" ? text.length : result.bytes;
        part.blob = blobOf(result);
        part.exit = exit ?? null;
        part.endedAt = at;
        part.args = cutStrings(part.args);
        part.draft = "";
        part.draftChars = 0;
      });
      return wasRecovering ? { ...changed, areas: ["turn"] } : changed;
    }

    case "ask_opened": {
      const { call, digest = null } = fact.data;
      view.asks.push({ ...fact.data, openedAt: at, position });
      if (call === undefined) return areas("asks");
      const asked = changeTool(view, call, (part) => {
        part.answer = null; // to an earlier ask, about something else
        part.asked = digest;
      });
      return { ...asked, areas: ["asks"] };
    }
    case "ask_answered": {
      const { answer } = fact.data;
      const call = closeAsk(view, fact.data.ask)?.call;
      if (call === undefined) return areas("asks");
      return { ...changeTool(view, call, (part) => (part.answer = answer)), areas: ["asks"] };
    }
    case "ask_closed":
      closeAsk(view, fact.data.ask);
      return areas("asks");

    case "compaction_started":
      view.compacting = true;
      return areas("compaction");
    case "context_compacted":
      view.compacting = false;
      if (fact.data.usage) {
        addUsage(view.usage, fact.data.usage);
        if (view.turn) addUsage(view.turn.usage, fact.data.usage);
      }
      view.compacted = { at: position, covers: fact.data.covers, summary: fact.data.summary };
      add(position, { kind: "divider", divider: "compacted", text: fact.data.method });
      return { messages: [position], areas: ["compaction", "usage", "turn"] };
    case "compaction_failed":
      view.compacting = false;
      return areas("compaction");

    case "process_started":
      view.processes.push({ ...fact.data, startedAt: at, stale: false });
      return areas("processes");
    case "process_stale":
      return changeProcess(view, fact.data.process, (process) => (process.stale = true));
    case "process_exited":
    case "process_lost":
    case "process_stopped":
      view.processes = view.processes.filter(({ process }) => process !== fact.data.process);
      return areas("processes");

    case "delegated":
      view.delegates.push({ ...fact.data, at });
      return {
        ...changeTool(view, fact.data.call, (part) => (part.delegate = fact.data.session)),
        areas: ["delegates"],
      };
    case "delegate_returned":
      view.delegates = view.delegates.filter(({ session }) => session !== fact.data.session);
      return areas("delegates");
    case "task_linked": {
      const { task, title } = fact.data;
      add(task, { kind: "task", task, title, outcome: null, summary: null });
      return { messages: [task], areas: [] };
    }
    case "task_finished":
      return finishTask(view, fact);

    case "executor_lost":
      if (!view.turn) return NONE;
      view.turn.recovering = true;
      return areas("turn");
    case "executor_recovered":
      if (view.turn) Object.assign(view.turn, { recovering: false, takeovers: fact.data.takeover });
      view.failed = false;
      add(position, { kind: "divider", divider: "recovered", text: `${fact.data.takeover}` });
      return { messages: [position], areas: ["turn"] };
    case "executor_gave_up":
      view.failed = true;
      if (view.turn) view.turn.retryAt = null;
      add(position, { kind: "notice", level: "error", text: givenUpWords(fact.data.reason) });
      return { messages: [position], areas: ["turn"] };
    case "notice":
      add(position, { kind: "notice", level: fact.data.level, text: fact.data.text });
      return { messages: [position], areas: [] };

    case "reset_skipped":
      return NONE; // stands in the session's row and API, moves nothing here
    default:
      fact satisfies never;
      return NONE; // of a newer version
  }
}

function givenUpWords(reason: string): string {
  return `Holdfast itself failed here several times and leaves this session alone. Send anything to try again. The reason: ${reason}`;
}

/** What each kind of message has beyond its id, position and time. */
type Adding = Message extends infer M
  ? M extends Message
    ? Omit<M, "id" | "position" | "at">
    : never
  : never;

function addMessage(view: View, message: Message): void {
  view.messages.push(message);
  view.chars += weight(message);
}

/** Keeps the view's weight true through a change of one message. */
function changeMessage<M extends Message>(
  view: View,
  message: M,
  change: (message: M) => void,
): readonly string[] {
  view.chars -= weight(message);
  change(message);
  view.chars += weight(message);
  return [message.id];
}

function changeStep(view: View, id: string, change: (step: Step) => void): readonly string[] {
  const step = stepOf(view, id);
  return step ? changeMessage(view, step, change) : [];
}

function changeTool(view: View, call: string, change: (part: ToolPart) => void): Changed {
  const tool = toolOf(view, call);
  return tool ? { messages: changeMessage(view, tool.message, () => change(tool.part)), areas: [] } : NONE;
}

function changeProcess(view: View, id: string, change: (process: ViewProcess) => void): Changed {
  const process = view.processes.find((candidate) => candidate.process === id);
  if (!process) return NONE;
  change(process);
  return areas("processes");
}

function finishTask(view: View, { data, position, at }: Extract<Fact, { type: "task_finished" }>): Changed {
  const { task, outcome, summary } = data;
  const card = view.messages.find((message) => message.kind === "task" && message.id === task);
  if (card?.kind === "task")
    return {
      messages: changeMessage(view, card, (row) => Object.assign(row, { outcome, summary })),
      areas: [],
    };
  addMessage(view, { id: task, position, at, kind: "task", task, title: task, outcome, summary });
  return { messages: [task], areas: [] };
}

export function queuedInput({
  data,
  position,
  at,
  by,
}: Extract<Fact, { type: "input_admitted" | "input_edited" }>): QueuedInput {
  const { input, kind, text, delivery, attachments } = data;
  const delegate = "delegate" in data ? data.delegate : undefined;
  return {
    input,
    kind,
    text,
    delivery: delivery ?? "queue",
    attachments: attachments ?? [],
    ...(delegate && { delegate }),
    by,
    at,
    position,
  };
}

function closeAsk(view: View, id: string): OpenAsk | undefined {
  const at = view.asks.findIndex(({ ask }) => ask === id);
  return at < 0 ? undefined : view.asks.splice(at, 1)[0];
}

function takeFromQueue(view: View, input: string) {
  const at = view.queue.findIndex((queued) => queued.input === input);
  return at < 0 ? undefined : view.queue.splice(at, 1)[0];
}

function areas(...names: Area[]): Changed {
  return { messages: [], areas: names };
}
