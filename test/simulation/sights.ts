// Which rows of "What a crash does" a run came through, told by the logs it left.
import type { By, Fact } from "../../src/session/event.ts";
import { processName } from "../../src/executor/derived-ids.ts";
import type { Ledger } from "./ledger.ts";
import type { MemoryStore } from "./memory-store.ts";
import { callOf } from "./process-table.ts";
import type { Reached } from "./reached.ts";
import { STORE } from "./store-link.ts";

export function noteSights(reached: Reached, memory: MemoryStore, ledger: Ledger): void {
  for (const { id, stored } of memory.logs.values()) {
    const facts = stored
      .map(({ text }) => JSON.parse(text) as Fact)
      .filter(({ type }) => (type as string) !== "draft");
    const sight: Sight = { session: id, facts, ledger, reached };
    for (const [n, fact] of facts.entries()) {
      noteStep(sight, fact, n);
      noteTool(sight, fact, n);
      noteInput(sight, fact, n);
      noteRetry(sight, fact, n);
    }
  }
}

type Sight = { session: string; facts: readonly Fact[]; ledger: Ledger; reached: Reached };

const PASSING = new Set(["network", "rate_limit", "overloaded", "cut", "silent"]);

function noteStep({ facts, ledger, reached }: Sight, fact: Fact, n: number): void {
  const { type, data } = fact;
  if (type === "step_aborted") {
    const { step, attempt } = data;
    const later = facts.slice(n + 1);
    const again = later.some(
      (next) => next.type === "step_started" && next.data.step === step && next.data.attempt === attempt + 1,
    );
    const answered = later.some((next) => next.type === "step_completed" && next.data.step === step);
    if (data.reason === "its server was lost" && answered && diedOf(ledger, stepBegan(facts, step, attempt)))
      reached.note("a model was streaming when its executor died, and answered anew");
    if (data.retryAt !== undefined && again)
      reached.note("a provider failed for now, and was tried again in its time");
    if (data.said !== undefined && nodeOf(fact) !== nodeOf(stepBegan(facts, step, attempt) ?? fact))
      reached.note("a stop was honoured by another executor, which told the model what it had said");
    if (data.reason === "shutdown" && again)
      reached.note("a shutdown broke off a model, and another executor went on");
  }
  if (type === "turn_ended" && data.outcome === "failed") {
    const code = data.error?.code ?? "";
    if (PASSING.has(code)) reached.note("a provider failed for too long, and the turn said so");
    if (code === "unusable_profile") reached.note("a profile that was gone ended its turn");
    if (code === "auth") reached.note("a provider refused for good, and the turn said so");
    if (code === "crash_loop") reached.note("a step that killed every executor ended its turn");
  }
  if (type === "context_compacted") {
    const begun = facts.findLast((before, at) => at < n && before.type === "compaction_started");
    const completed = facts.slice(n).some((later) => later.type === "step_completed");
    if (completed) reached.note("a context was too long, was compacted, and the step went on");
    if (begun && nodeOf(begun) !== nodeOf(fact))
      reached.note("a compaction outlived the executor that began it");
  }
  if (type === "turn_ended" && data.error?.code === "context_too_long")
    reached.note("a context was too long a second time, and the turn said so");
  if (type === "executor_lost" && facts.slice(n).some((later) => later.type === "executor_recovered"))
    reached.note("a session whose executor was lost said so until another came");
  if (type === "notice" && data.text.includes("could not be stopped"))
    reached.note("a command that would not end did not hold its turn");
  if (type === "turn_ended" && data.outcome === "stopped") {
    const asked = facts.findLastIndex(
      (before, at) => at < n && before.type === "stop_requested" && before.data.turn === data.turn,
    );
    const atWork = facts.findLast((before, at) => at < asked && nodeOf(before) !== undefined);
    if (atWork && nodeOf(atWork) !== nodeOf(fact))
      reached.note("a stop was honoured by another executor than the one at work");
  }
}

function noteTool({ session, facts, ledger, reached }: Sight, fact: Fact, n: number): void {
  if (fact.type !== "tool_finished") return;
  const { call, status } = fact.data;
  const of = facts.slice(0, n).filter(({ data }) => "call" in data && data.call === call);
  const first = (type: Fact["type"]) => of.find((candidate) => candidate.type === type);
  const proposed = first("tool_proposed");
  const started = first("tool_started");
  const opened = first("ask_opened");
  const name = proposed?.type === "tool_proposed" ? proposed.data.name : "";
  if (proposed && started && !opened && nodeOf(proposed) !== nodeOf(started) && diedOf(ledger, proposed))
    reached.note("a tool was only proposed when its executor died, and then ran");

  const finds = ledger.finds.get(callOf(processName(STORE, session, call, 1))) ?? [];
  const real = status === "ok" || status === "error";
  if (finds.includes("running") && real)
    reached.note("a command still ran when another executor came, and was waited for");
  if (finds.includes("exited") && real)
    reached.note("a command had ended when another executor came, and its end was read");
  if (finds.includes("unstarted") && real)
    reached.note("a command had not begun when another executor came, and ran then");
  if (finds.includes("running") && real && started && ledger.shutdowns.has(nodeOf(started) ?? ""))
    reached.note("a shutdown left a command running, and another executor waited for it");
  if (name === "shell" && status === "unknown" && facts[n - 1]?.type === "process_lost")
    reached.note("a command was lost, and the model was told to verify");
  const ending = facts[n - 1];
  if (ending?.type === "process_exited" && ending.data.cause === "timed_out")
    reached.note("a command took too long and was ended");
  if (name === "shell" && status === "ok" && of.some(({ data }) => "background" in data && data.background))
    reached.note("a background command outlived its turn");

  const effects = ledger.effectsOf(session, call);
  if (name === "look" && status === "ok" && effects > 1) reached.note("a tool that only reads was run again");
  if (name === "put" && status === "ok" && effects > 1) reached.note("an idempotent tool was run again");
  if (name === "launch" && status === "unknown" && started && nodeOf(started) !== nodeOf(fact))
    reached.note("an unsafe tool was not run again, and the model was told to verify");

  if (status === "denied") reached.note("a call was denied");
  if (name === "ask" && status === "ok") reached.note("a question was answered");
  if (opened?.type !== "ask_opened") {
    if (name === "shell" && started && facts.slice(0, n).some(({ type }) => type === "rule_added"))
      reached.note("an approval was given for the session, and not asked for again");
    return;
  }
  const { ask } = opened.data;
  const answered = facts.find(({ type, data }) => type === "ask_answered" && data.ask === ask);
  const died = ledger.deaths.get(nodeOf(opened) ?? "");
  if (answered && real && died !== undefined && died < answered.at)
    reached.note("an ask outlived the executor that opened it, was answered and went on");
}

function noteRetry({ facts, reached }: Sight, { type, data }: Fact, n: number): void {
  if (type !== "turn_started" || data.retries === undefined) return;
  const before = facts.slice(
    facts.findIndex((fact) => isStart(fact, data.retries)),
    n,
  );
  const went = facts.slice(n).some((fact) => fact.type === "turn_ended" && fact.data.outcome === "completed");
  if (went && before.some((fact) => fact.type === "tool_finished"))
    reached.note("a turn that failed was tried again, and went on from what was done");
}

function isStart({ type, data }: Fact, turn: string | undefined): boolean {
  return type === "turn_started" && data.turn === turn;
}

function noteInput({ facts, reached }: Sight, fact: Fact, n: number): void {
  const { type, data } = fact;
  if (type === "input_delivered" && data.step !== undefined) reached.note("a steer entered a running turn");
  if (type === "input_withdrawn") reached.note("an input was withdrawn");
  if (type === "queue_released" && facts.slice(0, n).some((before) => before.type === "queue_held"))
    reached.note("a queue was held and released");
  if (type !== "input_delivered") return;
  const text = facts.find(({ position }) => position === data.from);
  if (text?.type === "input_edited") reached.note("an input was edited before it was delivered");
  const stop =
    facts[facts.findIndex((sent) => sent.type === "input_admitted" && sent.data.input === data.input) + 1];
  if (text?.type === "input_admitted" && text.data.delivery === "now" && stop?.type === "stop_requested")
    reached.note("a prompt stopped what ran and came first");
}

function stepBegan(facts: readonly Fact[], step: string, attempt: number): Fact | undefined {
  return facts.find(
    ({ type, data }) => type === "step_started" && data.step === step && data.attempt === attempt,
  );
}

function diedOf(ledger: Ledger, fact: Fact | undefined): boolean {
  return fact !== undefined && ledger.deaths.has(nodeOf(fact) ?? "");
}

function nodeOf({ by }: { by: By }): string | undefined {
  return "executor" in by ? by.executor : undefined;
}
