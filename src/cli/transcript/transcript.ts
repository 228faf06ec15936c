// A session on a terminal. A terminal can only be added to, so what was printed of each part is remembered and the rest
// follows: drafts as they come, the whole when its fact is there, each word once however it arrived.
import type { Touched } from "../../session/apply.ts";
import type { AnyEvent, By, LongText, Usage } from "../../session/event.ts";
import { shown } from "../../session/search-text.ts";
import type {
  Message,
  Meta,
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
import { Printer } from "./printer.ts";

/** Far more than a view holds: what has left the view never comes again. */
const REMEMBERED_MAX = 4000;
const RESULT_LINES = 12;
const ARGS_CHARS = 200;

export class Transcript {
  readonly #printer: Printer;
  readonly #now: () => number;
  /** How much was printed of what: characters of a part, 1 for what is printed at once. */
  readonly #printed = new Map<string, number>();

  constructor(terminal: Terminal, now: () => number) {
    this.#printer = new Printer(terminal);
    this.#now = now;
  }

  head(session: string, { title, profile, model, workspace }: Meta): void {
    this.#printer.line(visibleLine(title ?? "") || "Untitled", "bold");
    const more = [session, profile, model, workspace].filter((part) => part !== null && part !== "");
    this.#printer.line(more.map((part) => visibleLine(part ?? "")).join(" · "), "dim");
  }

  /** All that a view holds. */
  show(view: View): void {
    if (view.earlier > 0) this.#printer.line(`… ${count(view.earlier, "earlier message")}`, "dim");
    for (const message of view.messages) this.#message(message);
    for (const queued of view.queue) this.#input(queued, "queued");
    for (const ask of view.asks) this.#printer.line(`  · ${askWords(ask)}`, "yellow");
  }

  /** What one event has brought. */
  follow(event: AnyEvent, view: View, touched: Touched): void {
    this.#happening(event);
    if (event.type === "input_admitted") {
      const queued = view.queue.at(-1);
      if (queued) this.#input(queued, view.turn ? "queued" : undefined);
    }
    for (const id of touched.messages) {
      const message = view.messages.findLast((candidate) => candidate.id === id);
      if (message) this.#message(message);
    }
  }

  note(text: string, style: Style = "dim"): void {
    this.#printer.line(text, style);
  }

  end(): void {
    this.#printer.close();
  }

  #happening(event: AnyEvent): void {
    const happening = happeningOf(event);
    if (happening) this.#printer.line(`  · ${happening.text}`, happening.style);
  }

  #message(message: Message): void {
    switch (message.kind) {
      case "input":
        return this.#input({ ...message, input: message.id, kind: message.input });
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

  /** Shown when it is admitted; its delivery brings nothing new. */
  #input(
    input: Pick<QueuedInput, "input" | "kind" | "text" | "by" | "at" | "attachments">,
    state?: "queued",
  ): void {
    this.#once(input.input, () => {
      const about = [nameOf(input.by), clock(input.at, this.#now())];
      if (input.kind === "steer") about.push("steer");
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
    if (step.state === "completed") this.#once(step.id, () => this.#printer.close());
    if (step.state === "aborted")
      this.#once(step.id, () => {
        const retry = step.retryAt === null ? "" : `; trying again at ${clock(step.retryAt, this.#now())}`;
        this.#printer.line(`  · interrupted: ${visibleLine(step.reason ?? "")}${retry}`, "yellow");
      });
  }

  #text({ id, kind, text, blob }: TextPart): void {
    const fresh = text.slice(this.#have(id));
    this.#remember(id, text.length);
    this.#printer.stream(id, visible(fresh), "", kind === "reasoning" ? "dim" : undefined, () =>
      this.#printer.gap(),
    );
    if (blob !== null)
      this.#once(`${id} blob`, () =>
        this.#printer.line("  · the rest of this long text is in the export", "dim"),
      );
  }

  #tool(part: ToolPart): void {
    if (part.state === "drafting") return;
    const header = `  ⚙ ${visibleLine(part.name)} ${argsWords(part.args)}`.trimEnd();
    this.#once(part.id, () => {
      this.#printer.gap();
      this.#printer.line(header, "magenta");
    });
    const output = `${part.id} output`;
    if (part.state === "started") {
      const fresh = part.draftChars - this.#have(output);
      const skipped = Math.max(0, fresh - part.draft.length);
      this.#remember(output, part.draftChars);
      const text = `${skipped > 0 ? `… ${count(skipped, "character")} …\n` : ""}${fresh > 0 ? part.draft.slice(-fresh) : ""}`;
      // With several at once each says again whose words these are.
      const again = this.#have(`${output} said`) === 1;
      this.#printer.stream(output, visible(text), "  │ ", "dim", () => {
        if (again) this.#printer.line(header, "dim");
      });
      if (text !== "") this.#remember(`${output} said`, 1);
    }
    if (part.state === "finished") this.#once(`${part.id} finished`, () => this.#finished(part, output));
  }

  #finished(part: ToolPart, output: string): void {
    if (this.#have(output) === 0 && part.result !== "") {
      const lines = visible(part.result).trimEnd().split("\n");
      const rest = lines.length - RESULT_LINES;
      const text = lines.slice(0, RESULT_LINES).join("\n");
      this.#printer.stream(
        output,
        rest > 0 ? `${text}\n… ${count(rest, "more line")}` : text,
        "  │ ",
        "dim",
        () => {},
      );
    }
    const took =
      part.startedAt !== null && part.endedAt !== null
        ? [duration(Date.parse(part.endedAt) - Date.parse(part.startedAt))]
        : [];
    const exit = part.exit === null || part.exit === 0 ? [] : [`exit ${part.exit}`];
    const isGood = part.status === "ok";
    const line = [isGood ? "✓" : `✗ ${part.status ?? ""}`, ...exit, ...took]
      .join(" · ")
      .replace("✓ · ", "✓ ");
    this.#printer.line(`  ${line}`, isGood ? "green" : "red");
    this.#printer.gap();
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

function nameOf(by: By): string {
  if ("person" in by) return visibleLine(by.person);
  return "executor" in by ? "executor" : visibleLine(by.keeper);
}

function longText(text: LongText): string {
  return typeof text === "string" ? text : `${text.preview}\n… (${count(text.bytes, "byte")} in all)`;
}

function indented(text: string): string {
  return visible(text).trimEnd().replaceAll(/^/gm, "  ");
}

/** The one argument that says it, else all of them. */
function argsWords(args: unknown): string {
  if (args === null || args === undefined) return "";
  const values = typeof args === "object" ? Object.values(args) : [args];
  const [only] = values;
  const text = values.length === 1 && typeof only === "string" ? only : JSON.stringify(args);
  const line = visibleLine(text);
  return line.length > ARGS_CHARS ? `${line.slice(0, ARGS_CHARS)}…` : line;
}

function usageWords({ inputTokens, outputTokens, cost }: Usage): string[] {
  if (inputTokens + outputTokens === 0) return [];
  const tokens = `${inputTokens.toLocaleString("en")} in, ${outputTokens.toLocaleString("en")} out`;
  return cost === undefined ? [tokens] : [tokens, `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`];
}

function dividerWords(divider: Extract<Message, { kind: "divider" }>["divider"], text: string): string {
  switch (divider) {
    case "compacted":
      return "the context was compacted";
    case "forked":
      return `forked from ${text}`;
    case "ended":
      return `ended: ${text}`;
    case "recovered":
      return "recovered: the work goes on";
    case "detached":
      return `detached as ${text}`;
  }
}
