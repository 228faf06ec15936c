// The bottom of a terminal that is drawn again and again, under text that only ever grows: the transcript scrolls by as
// it would without us, and the lines under it (what runs, what is asked, what is being typed) are always the last ones.
//
// All that is remembered is where the text ended and how far below that the cursor stands. The last word may not be whole
// yet, and may not fit its row once it is: until a space follows it is drawn anew like the region.
import { displayWidth } from "../visible.ts";
import type { Output } from "../terminal.ts";
import { flow, opened, ORIGIN, type Place } from "./flow.ts";

export type Region = {
  /** Each fits a row of the terminal. */
  lines: readonly string[];
  cursor: { line: number; column: number };
};

const CLEAR_BELOW = "\x1b[J";
const NO_STYLE = "\x1b[0m";
const TAB = "    ";
const USUAL_COLUMNS = 80;

export class LiveArea {
  readonly #stdout: Output;
  readonly #render: () => Region;
  #pending = "";
  #isDue = false;
  #isClosed = false;
  /** Where the text ended that is not drawn again. */
  #place: Place = ORIGIN;
  /** How many rows below that the cursor stands. */
  #below = 0;

  /** `render` is asked for the region whenever it is drawn. */
  constructor(stdout: Output, render: () => Region) {
    this.#stdout = stdout;
    this.#render = render;
    stdout.on("resize", this.#resized);
  }

  /** More text above the region; it may end within a word. */
  write(text: string): void {
    this.#pending += text.replaceAll("\t", TAB);
    this.refresh();
  }

  /** All of a tick is drawn at once. */
  refresh(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    setImmediate(() => this.#draw());
  }

  /** What was written stays, the region goes. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stdout.off("resize", this.#resized);
    const back = this.#back();
    const text = this.#take(this.#pending.length);
    this.#stdout.write(`${back}${text}${NO_STYLE}${this.#place.column > 0 ? "\n" : ""}`);
  }

  #draw(): void {
    this.#isDue = false;
    if (this.#isClosed) return;
    const back = this.#back();
    const text = this.#take(wholeWords(this.#pending, this.#columns));
    const tail = flow(this.#pending, this.#place, this.#columns);
    const { lines, cursor } = this.#render();
    const begin = tail.to.column > 0 ? "\n" : "";
    const up = lines.length - 1 - cursor.line;
    this.#stdout.write(
      `${back}${text}${tail.text}${NO_STYLE}${begin}${lines.join("\n")}${move(up, "A")}\r${move(cursor.column, "C")}`,
    );
    this.#below = rowsIn(tail.text) + begin.length + cursor.line;
  }

  /** To where the text ended, with nothing below it, and on in its style. */
  #back(): string {
    const { column, styles } = this.#place;
    return `\r${move(this.#below, "A")}${move(column, "C")}${CLEAR_BELOW}${opened(styles)}`;
  }

  /** So much of what waits, as it is written; from here on the place is behind it. */
  #take(chars: number): string {
    const { text, to } = flow(this.#pending.slice(0, chars), this.#place, this.#columns);
    this.#pending = this.#pending.slice(chars);
    this.#place = to;
    return text;
  }

  get #columns(): number {
    return this.#stdout.columns || USUAL_COLUMNS;
  }

  /** What the terminal made of the old rows nobody knows: they are left behind, and drawn anew below. */
  readonly #resized = () => {
    if (this.#isClosed) return;
    this.#stdout.write("\n");
    this.#place = { ...this.#place, column: 0 };
    this.#below = 0;
    this.refresh();
  };
}

/** How many characters are whole words; of a word longer than a row all that is there. */
function wholeWords(text: string, columns: number): number {
  const last = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n")) + 1;
  return displayWidth(text.slice(last)) >= columns ? text.length : last;
}

function rowsIn(text: string): number {
  return text.split("\n").length - 1;
}

function move(count: number, direction: "A" | "C"): string {
  return count > 0 ? `\x1b[${count}${direction}` : "";
}
