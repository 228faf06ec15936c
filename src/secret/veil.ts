// Text that comes in stretches, without secrets: only what may be the beginning of one is held back, until what follows
// shows that it is one or that it is none. However a text is cut, what comes out is the same.
import type { Form } from "./forms.ts";

/** What all veils over the same secrets share. */
export class Weave {
  readonly #longest: number;
  readonly #shortest: number;
  readonly #forms: readonly Form[];
  readonly #marks: ReadonlyMap<string, string>;
  readonly #pattern: RegExp;
  /** By UTF-16 unit. */
  readonly #begins: ReadonlySet<number>;

  constructor(forms: readonly Form[]) {
    this.#forms = forms;
    this.#marks = new Map(forms.map(({ text, mark }) => [text, mark]));
    this.#pattern = new RegExp(forms.map(({ text }) => RegExp.escape(text)).join("|"), "g");
    const lengths = forms.map(({ text }) => text.length);
    this.#longest = Math.max(...lengths);
    this.#shortest = Math.min(...lengths);
    this.#begins = new Set(forms.map(({ text }) => text.charCodeAt(0)));
  }

  hide(text: string): string {
    if (text.length < this.#shortest) return text;
    return text.replace(this.#pattern, (found) => this.#markOf(found));
  }

  /** Where a secret begins in `text` at or after `from`, and where it ends. */
  find(text: string, from: number): { start: number; end: number; mark: string } | undefined {
    if (text.length - from < this.#shortest) return undefined;
    this.#pattern.lastIndex = from;
    const found = this.#pattern.exec(text);
    return found
      ? { start: found.index, end: this.#pattern.lastIndex, mark: this.#markOf(found[0]) }
      : undefined;
  }

  /** Where, at or after `from`, the rest of the text may be the beginning of a secret; its length when nowhere. */
  openAt(text: string, from: number): number {
    const { length } = text;
    for (let at = Math.max(from, length - this.#longest + 1); at < length; at++)
      if (this.#begins.has(text.charCodeAt(at)) && this.#goesOn(text.slice(at))) return at;
    return length;
  }

  /** Whether there is a character in it that a secret begins with. */
  mayBegin(text: string): boolean {
    for (let at = 0; at < text.length; at++) if (this.#begins.has(text.charCodeAt(at))) return true;
    return false;
  }

  #goesOn(rest: string): boolean {
    for (const { text } of this.#forms) if (text.length > rest.length && text.startsWith(rest)) return true;
    return false;
  }

  #markOf(found: string): string {
    return this.#marks.get(found) ?? "[secret]";
  }
}

export class Veil {
  readonly #weave: Weave;
  /** The beginning of a secret, perhaps. */
  #held = "";

  constructor(weave: Weave) {
    this.#weave = weave;
  }

  /** What can be shown by now. */
  push(stretch: string): string {
    const weave = this.#weave;
    if (this.#held === "" && !weave.mayBegin(stretch)) return stretch;
    const text = this.#held + stretch;
    let shown = "";
    let at = 0;
    let open = weave.openAt(text, 0);
    for (;;) {
      const found = weave.find(text, at);
      if (!found || found.start >= open) break;
      shown += text.slice(at, found.start) + found.mark;
      at = found.end;
      if (at > open) open = weave.openAt(text, at); // what was open was part of it
    }
    this.#held = text.slice(open);
    return shown + text.slice(at, open);
  }

  /** The rest, once nothing more is to come. */
  end(): string {
    const rest = this.#weave.hide(this.#held);
    this.#held = "";
    return rest;
  }
}
