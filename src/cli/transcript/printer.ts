// Line discipline for text that comes in pieces from several sources: one block is open at a time, and whoever prints
// next closes the line of the one before.
import type { Style, Terminal } from "../terminal.ts";

export class Printer {
  readonly #terminal: Terminal;
  #open: string | null = null;
  #atLineStart = true;
  #afterBlank = true;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** A line of its own. */
  line(text: string, style?: Style): void {
    this.close();
    this.#put(style ? this.#terminal.paint(style, text) : text);
    this.#newline();
  }

  /** An empty line, but never two. */
  gap(): void {
    this.close();
    if (!this.#afterBlank) this.#newline();
  }

  /** From here on the block is open; `opened` runs when another one was. */
  open(block: string, opened: () => void): void {
    if (this.#open === block) return;
    this.close();
    opened();
    this.#open = block;
  }

  /** More of the text of the block that is open, each of its lines behind the gutter. */
  stream(text: string, gutter: string, style?: Style): void {
    const lines = text.split("\n");
    lines.forEach((line, n) => {
      const isLast = n === lines.length - 1;
      if (this.#atLineStart && !(isLast && line === "")) this.#put(this.#terminal.paint("dim", gutter));
      this.#put(style && line !== "" ? this.#terminal.paint(style, line) : line);
      if (!isLast) this.#newline();
    });
  }

  /** What is streamed next begins a line; the block stays open. */
  break(): void {
    if (!this.#atLineStart) this.#newline();
  }

  /** Ends the line of what was being streamed. */
  close(): void {
    this.#open = null;
    if (!this.#atLineStart) this.#newline();
  }

  #put(text: string): void {
    if (text === "") return;
    this.#terminal.write(text);
    this.#atLineStart = false;
    this.#afterBlank = false;
  }

  #newline(): void {
    this.#afterBlank = this.#atLineStart;
    this.#terminal.write("\n");
    this.#atLineStart = true;
  }
}
