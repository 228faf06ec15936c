// A session that goes on from an earlier point of itself: its successor has the facts up to there, and of what came later
// only what is not part of the talk. The person's other wishes and what still runs are not undone with a turn.
import type { NewFact } from "./event.ts";
import { mendFork } from "./fork.ts";
import type { Position } from "./position.ts";
import type { QueuedInput, View } from "./view.ts";

/** What follows the copied facts. `then` is the copy as it stands there, `now` the session that ends; `first` it is sent. */
export function successorFacts(
  from: string,
  at: Position,
  then: View,
  now: View,
  first: readonly NewFact[],
): NewFact[] {
  const sent = first.filter((fact) => !isUnheard(then, delegateOf(fact)));
  const unheard = [...now.delegates.map(({ session }) => session), ...first.flatMap(delegateOf)];
  const brought = importedAgain(at, then, now);
  const rules = now.rules.slice(brought.length > 0 ? 0 : then.rules.length);
  return [
    ...brought,
    ...forkedAgain(then, now),
    { type: "session_forked", data: { from, at, continues: true } },
    ...mendFork(then),
    ...carriedOver(then, now, rules),
    ...unheard.filter((session) => isUnheard(then, [session])).map(unheardNotice),
    ...sent,
  ];
}

/** What nobody has begun with yet goes over as it is, under new ids: the copy may have had and withdrawn the old ones. */
export function queueAgain(view: View, newInput: () => string): NewFact[] {
  const admitted = view.queue.map((queued): NewFact => admitAgain(queued, newInput()));
  const held: NewFact[] = view.held ? [{ type: "queue_held", data: { reason: "it was held before" } }] : [];
  return [...admitted, ...held];
}

export function admitAgain(
  {
    kind,
    text,
    delivery,
    attachments,
    delegate,
  }: Pick<QueuedInput, "kind" | "text" | "delivery" | "attachments" | "delegate">,
  input: string,
): NewFact {
  return {
    type: "input_admitted",
    data: {
      input,
      kind,
      text,
      ...(delivery === "now" && { delivery }),
      ...(attachments.length > 0 && { attachments }),
      ...(delegate && { delegate }),
    },
  };
}

/** It stays a fork, and what that makes of it, when it goes back to before where it was forked. */
function forkedAgain(then: View, now: View): NewFact[] {
  const [before, fork] = [then.meta.forkedFrom, now.meta.forkedFrom];
  if (!fork || (fork.session === before?.session && fork.at === before.at)) return [];
  return [{ type: "session_forked", data: { from: fork.session, at: fork.at } }];
}

/**
 * Nor does one that was brought in get back what it had where it came from, above all what was allowed there: rules only
 * ever come to be, and a workspace is chosen once, unless a session is brought in.
 */
function importedAgain(at: Position, then: View, now: View): NewFact[] {
  const { lane, workspace } = now.meta;
  const isBack =
    then.rules.some((rule, n) => !isSameRule(rule, now.rules[n])) ||
    (then.meta.workspace !== null && then.meta.workspace !== workspace) ||
    (then.meta.lane !== lane && now.meta.forkedFrom === null);
  return isBack ? [{ type: "session_imported", data: { at, ...(workspace !== null && { workspace }) } }] : [];
}

type ViewRule = View["rules"][number];

function isSameRule(a: ViewRule, b: ViewRule | undefined): boolean {
  return a.tool === b?.tool && a.match === b.match && a.decision === b.decision;
}

function carriedOver(then: View, now: View, rules: View["rules"]): NewFact[] {
  const facts: NewFact[] = [];
  const { title, model, workspace } = now.meta;
  if (title !== null && title !== then.meta.title) facts.push({ type: "session_titled", data: { title } });
  if (model !== null && model !== then.meta.model) facts.push({ type: "model_changed", data: { model } });
  if (workspace !== null && then.meta.workspace === null)
    facts.push({ type: "workspace_chosen", data: { workspace } }); // files and processes are there, and stay
  for (const rule of rules) facts.push({ type: "rule_added", data: rule });
  for (const { process, command, cwd, background } of now.processes)
    facts.push({ type: "process_started", data: { process, command, cwd, background } });
  for (const { session, call, background } of now.delegates)
    if (!isUnheard(then, [session])) facts.push({ type: "delegated", data: { session, call, background } });
  return facts;
}

/** Nobody in the copy knows of it: its result would come as an answer to what was never asked. */
function isUnheard({ delegates, queue }: View, [session]: readonly string[]): boolean {
  if (session === undefined) return false;
  const isKnown = delegates.some((delegate) => delegate.session === session);
  return !isKnown && !queue.some(({ delegate }) => delegate?.session === session);
}

function unheardNotice(session: string): NewFact {
  const text = `${session} ${UNHEARD}`;
  return { type: "notice", data: { level: "info", text } };
}

export const UNHEARD = "was begun by what is gone back over: its result does not come here.";

/** The one whose result this is, if it is one. */
function delegateOf(fact: NewFact): string[] {
  return fact.type === "input_admitted" && fact.data.delegate ? [fact.data.delegate.session] : [];
}
