// A session as Markdown, for people: who said what, which tools ran with what result. One fact at a time, in log order;
// what an answer said that broke off is in no fact, and is gathered from its drafts.
import { applyDraft } from "../session/apply-draft.ts";
import { applyFact } from "../session/apply-fact.ts";
import { isDraft } from "../session/draft.ts";
import type { AnyEvent, By, Draft, Fact, FactData, LongText } from "../session/event.ts";
import { finishWords } from "../session/finish-words.ts";
import { emptyView, type View } from "../session/view.ts";
import type { Store } from "../store/store.ts";

export async function* transcript(
  events: AsyncIterable<AnyEvent>,
  store: Pick<Store, "blob">,
): AsyncGenerator<string> {
  let answer = emptyView(); // the last attempt alone
  for await (const event of events) {
    if (isDraft(event)) {
      applyDraft(answer, event as Draft);
      continue;
    }
    const fact = event as Fact; // what is not a fact that we know falls through
    const text = await paragraph(withWords(fact, answer), store);
    if (text !== undefined) yield `${text}\n\n`;
    if (fact.type === "step_started" || fact.type === "turn_ended") answer = emptyView();
    if (fact.type.startsWith("step_")) applyFact(answer, fact);
  }
  const words = isSpeaking(answer) ? wordsOf(answer) : "";
  if (words !== "") yield `${words}\n\n*Still being answered.*\n\n`;
}

/** With what its drafts have said; the end of a turn does not repeat what the end of its last attempt has told. */
function withWords(fact: Fact, answer: View): Fact {
  if (fact.type !== "step_aborted" && fact.type !== "turn_ended") return fact;
  const words = wordsOf(answer);
  if (words === "") return fact;
  const { said: _, ...data } = fact.data;
  return { ...fact, data: isSpeaking(answer) ? { ...data, said: words } : data } as Fact; // of either type, as it was
}

function isSpeaking({ messages: [step] }: View): boolean {
  return step?.kind === "step" && step.state === "streaming";
}

function wordsOf({ messages: [step] }: View): string {
  if (step?.kind !== "step" || step.state === "completed") return "";
  const texts = step.parts.map((part) => (part.kind === "text" ? part.text : ""));
  return texts
    .filter((text) => text !== "")
    .join("\n\n")
    .trim();
}

async function paragraph(fact: Fact, store: Pick<Store, "blob">): Promise<string | undefined> {
  const whole = (text: LongText) => wholeText(text, store);
  switch (fact.type) {
    case "session_created":
      return `# ${oneLine(fact.data.title ?? "Session")}\n\n*${day(fact.at)} · ${fact.data.profile}*`;
    case "session_titled":
      return `*Now titled “${oneLine(fact.data.title)}”.*`;
    case "session_forked":
      return `*Forked from ${fact.data.from}.*`;
    case "session_ended":
      return `---\n\n*Ended: ${fact.data.reason}${fact.data.successor ? `; goes on in ${fact.data.successor}` : ""}.*`;
    case "input_admitted": {
      const files = (fact.data.attachments ?? [])
        .map(({ name }) => `\n\n*Attached: ${oneLine(name)}*`)
        .join("");
      const { delegate } = fact.data;
      const who = delegate ? `Result of delegate ${oneLine(delegate.session)}` : author(fact.by);
      return `## ${who}\n\n*${day(fact.at)}*\n\n${await whole(fact.data.text)}${files}`;
    }
    case "input_edited":
      return `*Edited before it was read:*\n\n${await whole(fact.data.text)}`;
    case "input_withdrawn":
      return "*The last queued input was withdrawn.*";
    case "turn_started":
      return fact.data.retries === undefined ? undefined : `*Tried again by ${author(fact.by)}.*`;
    case "step_completed":
      return stepText(fact.data, whole);
    case "step_aborted":
      return afterWords(fact.data.said, `*Interrupted: ${oneLine(fact.data.reason)}.*`, whole);
    case "tool_finished": {
      const result = await whole(fact.data.result);
      return `**Result (${fact.data.status})**\n\n${fenced(result)}`;
    }
    case "ask_opened":
      return `**Asked:** ${oneLine(fact.data.title)}`;
    case "ask_answered":
      return `**Answered by ${author(fact.by)}:** ${oneLine(fact.data.answer.choice ?? fact.data.answer.text ?? (fact.data.answer.values ?? []).join(", "))}`;
    case "turn_ended":
      if (fact.data.outcome === "completed") return undefined;
      return afterWords(
        fact.data.said,
        `*The turn ${fact.data.outcome}${fact.data.error ? `: ${oneLine(fact.data.error.message)}` : ""}.*`,
        whole,
      );
    case "context_compacted":
      return `---\n\n*Compacted. What the model now knows of what came before:*\n\n${await whole(fact.data.summary)}`;
    case "task_finished":
      return `**Task ${fact.data.task}: ${fact.data.outcome}**\n\n${await whole(fact.data.summary)}`;
    case "notice":
      return `*${oneLine(fact.data.text)}*`;
    default:
      return undefined; // bookkeeping, or a newer version's fact
  }
}

/** How an answer ended in its middle, and what had been said of it. */
async function afterWords(
  said: LongText | undefined,
  end: string,
  whole: (text: LongText) => Promise<string>,
): Promise<string> {
  return said === undefined ? end : `${await whole(said)}\n\n${end}`;
}

async function stepText(
  { message, finish }: FactData<"step_completed">,
  whole: (text: LongText) => Promise<string>,
): Promise<string | undefined> {
  const parts: string[] = [];
  for (const piece of message) {
    if (piece.type === "text") parts.push(await whole(piece.text));
    if (piece.type === "call")
      parts.push(
        `**Tool: ${oneLine(piece.name)}**\n\n${fenced(JSON.stringify(piece.args, undefined, 2) ?? "")}`,
      );
  }
  const why = finishWords(finish, parts.length === 0);
  if (why !== undefined) parts.push(`*${why}*`);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

async function wholeText(text: LongText, store: Pick<Store, "blob">): Promise<string> {
  if (typeof text === "string") return text;
  const bytes = await store.blob(text.blob);
  return bytes === undefined ? `${text.preview}\n\n*(the rest is no longer stored)*` : bytes.toString("utf8");
}

function author(by: By): string {
  if ("person" in by) return by.program ? `${by.person} (program)` : by.person;
  return "executor" in by ? "agent" : by.keeper;
}

/** A fence that is longer than any in the text, so that nothing breaks out of it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function day(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}
