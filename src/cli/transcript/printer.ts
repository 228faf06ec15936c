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

  /** More of a block's text, each of its lines behind the gutter; `opened` runs when another block was open. */
  stream(block: string, text: string, gutter: string, style: Style | undefined, opened: () => void): void {
    if (text === "") return;
    if (this.#open !== block) {
      this.close();
      opened();
      this.#open = block;
    }
    const lines = text.split("\n");
    lines.forEach((line, n) => {
      if (this.#atLineStart && (line !== "" || n < lines.length - 1))
        this.#put(this.#terminal.paint("dim", gutter));
      if (line !== "") this.#put(style ? this.#terminal.paint(style, line) : line);
      if (n < lines.length - 1) this.#newline();
    });
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
