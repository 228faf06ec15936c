// As much of a terminal as a program of ours makes use of: what a person would see of all that was written to it.
import { Writable } from "node:stream";
import type { Output } from "../src/cli/terminal.ts";
import { displayWidth } from "../src/cli/visible.ts";

export type VirtualScreen = {
  stdout: Output;
  /** All rows, those that have scrolled by included, without trailing blanks. */
  rows(): string[];
  text(): string;
  cursor(): { row: number; column: number };
};

const ESC = "\x1b";
const TOKEN = new RegExp(`${ESC}\\[([?\\d;]*)([A-Za-z])|[\\s\\S]`, "gu");

export function virtualScreen(columns = 80, height = 24): VirtualScreen {
  const cells: string[][] = [[]];
  let row = 0;
  let column = 0;
  /** The highest row that the cursor could still be moved to. */
  const top = () => Math.max(0, cells.length - height);

  /** A wide character takes up the cell behind it too. */
  const put = (char: string) => {
    const wide = displayWidth(char);
    if (column + wide > columns) {
      column = 0;
      down();
    }
    const line = (cells[row] ??= []);
    while (line.length < column) line.push(" ");
    line[column] = char;
    if (wide > 1) line[column + 1] = "";
    column += wide;
  };
  const down = () => {
    row += 1;
    cells[row] ??= [];
  };
  const control = (count: number, letter: string) => {
    if (letter === "A") row = Math.max(top(), row - count);
    else if (letter === "C") column = Math.min(columns - 1, column + count);
    else if (letter === "J") {
      cells.length = row + 1;
      cells[row] = (cells[row] ?? []).slice(0, column);
    } else if (!"mhl".includes(letter)) throw new Error(`the virtual screen does not know CSI ${letter}`);
  };
  const write = (text: string) => {
    for (const [token, parameters, letter] of text.matchAll(TOKEN)) {
      if (letter !== undefined) control(Number(parameters) || 1, letter);
      else if (token === "\n") {
        column = 0;
        down();
      } else if (token === "\r") column = 0;
      else put(token);
    }
  };
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      write(chunk);
      done();
    },
  });
  const rows = () =>
    cells.map((line) =>
      Array.from(line, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
  return {
    stdout: Object.assign(stream, { isTTY: true, columns, rows: height }) as unknown as Output,
    rows,
    text: () => rows().join("\n").trimEnd(),
    cursor: () => ({ row, column }),
  };
}
