// Logs that look like real work, for tests and pictures of the page: what an executor would have appended, said shortly.
import type { NewEvent, Piece } from "../src/session/event.ts";

export type Entry = { event: NewEvent; afterMs: number };

/** Writes facts in the order in which an executor would, and counts the ids itself. */
export class Script {
  readonly entries: Entry[] = [];
  readonly #model: string;
  readonly #name: string;
  #n = 0;
  #turn = "";
  #step = "";
  #attempt = 1;
  #pauseMs = 0;

  /** `name` keeps the ids of several scripts for one session apart. */
  constructor(name: string, model = "claude-sonnet") {
    this.#name = name;
    this.#model = model;
  }

  /** What comes next happens so much later. */
  pause(ms: number): this {
    this.#pauseMs += ms;
    return this;
  }

  add(event: NewEvent): this {
    this.entries.push({ event, afterMs: this.#pauseMs });
    this.#pauseMs = 0;
    return this;
  }

  admit(text: string, input = this.#id("inp")): this {
    return this.add({ type: "input_admitted", data: { input, kind: "prompt", text } });
  }

  /** Takes an input that stands in the log at `from`. */
  take(input: string, from: string): this {
    this.#turn = this.#id("turn");
    this.add({ type: "turn_started", data: { turn: this.#turn, inputs: [input] } });
    return this.add({ type: "input_delivered", data: { input, turn: this.#turn, from } });
  }

  begin(attempt = 1): this {
    if (attempt === 1) this.#step = this.#id("step");
    this.#attempt = attempt;
    const { turn, step, model } = { turn: this.#turn, step: this.#step, model: this.#model };
    return this.add({ type: "step_started", data: { turn, step, attempt, model } });
  }

  /** Text on its way, in as many chunks as given. */
  draft(kind: "text" | "reasoning", n: number, ...chunks: string[]): this {
    return this.#drafts(`${this.#step}.${this.#attempt}/${n}`, kind, chunks);
  }

  output(call: string, ...chunks: string[]): this {
    return this.#drafts(`${call}/0`, "output", chunks);
  }

  complete(message: Piece[], tokens: [input: number, output: number] = [1800, 240]): this {
    const usage = {
      inputTokens: tokens[0],
      outputTokens: tokens[1],
      cost: tokens[0] * 3e-6 + tokens[1] * 15e-6,
    };
    return this.add({
      type: "step_completed",
      data: { step: this.#step, attempt: this.#attempt, message, model: this.#model, usage },
    });
  }

  abort(reason: string): this {
    return this.add({ type: "step_aborted", data: { step: this.#step, attempt: this.#attempt, reason } });
  }

  start({ call, name, args }: Call): this {
    this.add({ type: "tool_proposed", data: { step: this.#step, call, name, args, effect: "unsafe" } });
    return this.add({ type: "tool_started", data: { call } });
  }

  finish(
    { call }: Call,
    result: string,
    { status = "ok", exit }: { status?: "ok" | "error" | "denied" | "unknown"; exit?: number } = {},
  ): this {
    return this.add({
      type: "tool_finished",
      data: { call, status, result, ...(exit !== undefined && { exit }) },
    });
  }

  end(
    outcome: "completed" | "failed" | "stopped" = "completed",
    error?: { code: string; message: string },
  ): this {
    return this.add({ type: "turn_ended", data: { turn: this.#turn, outcome, ...(error && { error }) } });
  }

  #drafts(part: string, kind: "text" | "reasoning" | "output", chunks: string[]): this {
    let offset = 0;
    for (const text of chunks) {
      this.add({ type: "draft", data: { part, kind, offset, text } });
      offset += text.length;
    }
    return this;
  }

  #id(kind: string): string {
    this.#n += 1;
    return `${kind}_${this.#name}${this.#n}`;
  }
}

export type Call = { call: string; name: string; args: Record<string, unknown> };

export function text(text: string): Piece {
  return { type: "text", text };
}

export function reasoning(text: string): Piece {
  return { type: "reasoning", text };
}

export function calls({ call, name, args }: Call): Piece {
  return { type: "call", call, name, args };
}
