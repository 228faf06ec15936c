// A session on a terminal. A terminal can only be added to, so what was printed of each part is remembered and the rest
// follows: drafts as they come, the whole when its fact is there, each word once however it arrived.
import type { Touched } from "../../session/apply.ts";
import type { AnyEvent, Fact } from "../../session/event.ts";
import { stepFinishWords } from "../../session/finish-words.ts";
import { openCalls } from "../../session/next-step.ts";
import { shown } from "../../session/search-text.ts";
import type {
  Message,
  Meta,
  OpenAsk,
  QueuedInput,
  StepMessage,
  TextPart,
  ToolPart,
  View,
} from "../../session/view.ts";
import type { Style, Terminal } from "../terminal.ts";
import { visible, visibleLine } from "../visible.ts";
import { clock, count, duration } from "../words.ts";
import { askWords, happeningOf } from "./happening.ts";
import {
  dividerWords,
  endWords,
  indented,
  longText,
  delegateWords,
  nameOf,
  resultWords,
  splitResult,
  toolWords,
  usageWords,
} from "./message-words.ts";
import { Printer } from "./printer.ts";

/** Far more than a view holds: what has left the view never comes again. */
const REMEMBERED_MAX = 4000;
const TAKEN_CHARS = 80;

export class Transcript {
  readonly #printer: Printer;
  readonly #now: () => number;
  readonly #queuedLater: boolean;
  /** How much was printed of what: characters of a part, 1 for what is printed at once. */
  readonly #printed = new Map<string, number>();
  /** Of the call that the event at hand is the end of. */
  #added = "";

  /** `queued`: where what waits is shown otherwise, it is printed in front of what answers it, and nowhere else. */
  constructor(terminal: Terminal, now: () => number, queued: "at once" | "when taken up" = "at once") {
    this.#printer = new Printer(terminal);
    this.#now = now;
    this.#queuedLater = queued === "when taken up";
  }

  head(session: string, { title, profile, model, workspace }: Meta): void {
    this.#printer.line(visibleLine(title ?? "") || "Untitled", "bold");
    const more = [session, profile, model, workspace].filter((part) => part !== null && part !== "");
    this.#printer.line(more.map((part) => visibleLine(part ?? "")).join(" · "), "dim");
  }

  /** All that a view holds and that was not printed before, or the newest so many messages of it. */
  show(view: View, most = view.messages.length): void {
    const left = view.messages.slice(0, Math.max(0, view.messages.length - most));
    for (const message of left) this.know(message);
    const earlier = view.earlier + left.length;
    if (earlier > 0)
      this.#once("earlier", () => this.#printer.line(`… ${count(earlier, "earlier message")}`, "dim"));
    for (const message of view.messages.slice(left.length)) this.#message(message);
    const waitedFor = new Set(openCalls(view).map(({ call }) => call));
    for (const { process, background, call } of view.processes)
      if (!background && call !== undefined && waitedFor.has(call)) this.#hush(process);
    for (const queued of view.queue) this.#queued(queued, view);
    for (const ask of view.asks) {
      this.#knowAsk(ask);
      this.#printer.line(`  · ${askWords(ask)}`, "yellow");
    }
  }

  /** As if it had been printed. */
  know(message: Message): void {
    this.#remember(message.id, 1);
    if (message.kind === "task") this.#remember(`${message.id} ${message.outcome}`, 1);
    if (message.kind !== "step") return;
    if (message.finish !== null) this.#remember(`${message.id} finish`, 1);
    for (const part of message.parts)
      if (part.kind === "tool") {
        this.#remember(part.id, Math.max(1, part.draftChars));
        this.#remember(`${part.id} header`, 1);
        if (part.state === "finished") this.#remember(`${part.id} finished`, 1);
      } else {
        this.#remember(part.id, part.text.length);
        if (part.blob !== null) this.#remember(`${part.id} blob`, 1);
      }
  }

  /** What one event has brought. */
  follow(event: AnyEvent, view: View, touched: Touched): void {
    this.#happening(event);
    const fact = event as Fact;
    if (fact.type === "tool_finished") {
      this.#unhushLeft(view, fact.data.call);
      this.#added = splitResult(shown(fact.data.result)).added; // a view keeps only how a result begins
    }
    if (event.type === "input_admitted") {
      const queued = view.queue.at(-1);
      if (queued) this.#queued(queued, view);
    }
    for (const id of touched.messages) {
      const message = view.messages.findLast((candidate) => candidate.id === id);
      if (message) this.#message(message);
    }
    this.#added = "";
  }

  note(text: string, style: Style = "dim"): void {
    this.#printer.line(text, style);
  }

  end(): void {
    this.#printer.close();
  }

  #happening(event: AnyEvent): void {
    if (this.#isHushed(event as Fact)) return;
    const happening = happeningOf(event);
    if (happening) this.#printer.line(`  · ${happening.text}`, happening.style);
  }

  /** The process of a call that is waited for ends with that call, which is told; and what a call asks is answered with it. */
  #isHushed(fact: Fact): boolean {
    if (fact.type === "ask_opened") this.#knowAsk(fact.data);
    if (fact.type === "ask_answered") return this.#have(`${fact.data.ask} of a call`) > 0;
    if (fact.type === "process_started" && !fact.data.background) this.#hush(fact.data.process);
    const isEnd = fact.type === "process_exited" || fact.type === "process_stopped";
    return isEnd && this.#have(`${fact.data.process} hushed`) > 0;
  }

  #knowAsk({ ask, kind, call }: Pick<OpenAsk, "ask" | "kind" | "call">): void {
    if (kind === "clarify" && call !== undefined) this.#remember(`${ask} of a call`, 1);
  }

  #hush(process: string): void {
    this.#remember(`${process} hushed`, 1);
  }

  /** What a command left running ends by itself, later. */
  #unhushLeft(view: View, call: string): void {
    for (const known of view.processes)
      if (known.call === call) this.#printed.delete(`${known.process} hushed`);
  }

  #queued(queued: QueuedInput, { turn, held }: View): void {
    const waits = turn !== null || held;
    if (!waits || !this.#queuedLater) this.#input(queued, waits ? "queued" : undefined);
  }

  #message(message: Message): void {
    switch (message.kind) {
      case "input":
        this.#input({ ...message, input: message.id, kind: message.input });
        if (this.#have(`${message.id} queued`) === 0) return;
        // What follows answers this one, and not what was printed last.
        return this.#once(`${message.id} taken up`, () =>
          this.#printer.line(
            `  · taken up: ${visibleLine(shown(message.text)).slice(0, TAKEN_CHARS)}`,
            "dim",
          ),
        );
      case "step":
        return this.#step(message);
      case "turn_end":
        return this.#once(message.id, () => {
          const { outcome, error, startedAt, usage, at } = message;
          const took = startedAt === null ? [] : [duration(Date.parse(at) - Date.parse(startedAt))];
          const why = error ? [visibleLine(error.message)] : [];
          const line = [outcome, ...why, ...took, ...usageWords(usage)].join(" · ");
          this.#printer.gap();
          this.#printer.line(`── ${line}`, outcome === "failed" ? "red" : "dim");
        });
      case "divider":
        return this.#once(message.id, () =>
          this.#printer.line(`── ${dividerWords(message.divider, visibleLine(message.text))}`, "dim"),
        );
      case "notice":
        return this.#once(message.id, () => {
          const styles = { info: "dim", warn: "yellow", error: "red" } as const;
          this.#printer.line(`  · ${visible(message.text)}`, styles[message.level]);
        });
      case "task":
        return this.#once(`${message.id} ${message.outcome}`, () => {
          const title = visibleLine(message.title);
          this.#printer.line(
            `  · task ${title}${message.outcome === null ? "" : `: ${message.outcome}`}`,
            "dim",
          );
          if (message.summary !== null) this.#printer.line(`    ${visibleLine(shown(message.summary))}`);
        });
    }
  }

  /** Shown when it is admitted; its delivery brings nothing new, unless others were shown since. */
  #input(
    input: Pick<QueuedInput, "input" | "kind" | "text" | "by" | "at" | "attachments" | "delegate">,
    state?: "queued",
  ): void {
    if (state) this.#remember(`${input.input} ${state}`, 1);
    this.#once(input.input, () => {
      const { delegate } = input;
      const about = [delegate ? delegateWords(delegate) : nameOf(input.by), clock(input.at, this.#now())];
      if (input.kind === "steer" && !delegate) about.push("steer");
      if (state) about.push(state);
      this.#printer.gap();
      this.#printer.line(about.join(" · "), "cyan");
      this.#printer.line(indented(longText(input.text)));
      for (const { name, bytes } of input.attachments)
        this.#printer.line(`  [${visibleLine(name)}, ${count(bytes, "byte")}]`, "dim");
      this.#printer.gap();
    });
  }

  #step(step: StepMessage & { id: string }): void {
    for (const part of step.parts)
      if (part.kind === "tool") this.#tool(part);
      else this.#text(part);
    // A tool's line stays open for what it says.
    if (step.state === "completed" && step.parts.at(-1)?.kind !== "tool")
      this.#once(step.id, () => this.#printer.close());
    const why = stepFinishWords(step);
    if (why !== undefined) this.#once(`${step.id} finish`, () => this.#printer.line(`  · ${why}`, "yellow"));
    if (step.state === "aborted")
      this.#once(step.id, () => {
        const retry = step.retryAt === null ? "" : `; trying again at ${clock(step.retryAt, this.#now())}`;
        this.#printer.line(`  · interrupted: ${visibleLine(step.reason ?? "")}${retry}`, "yellow");
      });
  }

  #text({ id, kind, text, blob }: TextPart): void {
    const fresh = visible(text.slice(this.#have(id)));
    this.#remember(id, text.length);
    if (fresh !== "") {
      this.#printer.open(id, () => this.#printer.gap());
      this.#printer.stream(fresh, "", kind === "reasoning" ? "dim" : undefined);
    }
    if (blob !== null)
      this.#once(`${id} blob`, () =>
        this.#printer.line("  · the rest of this long text is in the export", "dim"),
      );
  }

  #tool(part: ToolPart): void {
    if (part.state === "drafting") return;
    const { id } = part;
    const header = `  ⚙ ${toolWords(part)}`;
    this.#once(`${id} header`, () => {
      this.#printer.gap();
      this.#printer.open(id, () => this.#printer.line(header, "magenta"));
    });
    // With several at once each says again whose words these are.
    const say = (text: string) => {
      this.#printer.open(id, () => this.#printer.line(header, "dim"));
      this.#printer.stream(text, "  │ ", "dim");
    };
    if (part.state === "started") {
      const fresh = part.draftChars - this.#have(id);
      if (fresh <= 0) return;
      const skipped = Math.max(0, fresh - part.draft.length);
      this.#remember(id, part.draftChars);
      say(`${skipped > 0 ? `… ${count(skipped, "character")} …\n` : ""}${visible(part.draft.slice(-fresh))}`);
    }
    // Put to a person, who sees the question and need only see what was answered.
    if (part.state === "finished" && part.name === "ask" && part.status === "ok")
      this.#once(`${id} finished`, () => this.#printer.line(`  ✓ ${visibleLine(part.result)}`, "green"));
    if (part.state === "finished")
      this.#once(`${id} finished`, () => {
        const { said, added } = splitResult(part.result);
        say(this.#have(id) === 0 ? resultWords(said) : "");
        this.#printer.break();
        say(visible(added || this.#added));
        this.#printer.line(`  ${endWords(part)}`, part.status === "ok" ? "green" : "red");
        this.#printer.gap();
      });
  }

  #once(id: string, print: () => void): void {
    if (this.#have(id) > 0) return;
    this.#remember(id, 1);
    print();
  }

  #have(id: string): number {
    return this.#printed.get(id) ?? 0;
  }

  #remember(id: string, printed: number): void {
    this.#printed.set(id, Math.max(printed, this.#have(id)));
    const [oldest] = this.#printed.keys();
    if (this.#printed.size > REMEMBERED_MAX && oldest !== undefined) this.#printed.delete(oldest);
  }
}
