// What a command said, as a terminal would leave it: colours as names, a line that was written over as it was last, and
// nothing of what moves a cursor, rings or renames a window.
import { visible } from "../visible.ts";

export type Run = { text: string; style: string };

/** The names that CSS has colours for, in the order of the codes. */
const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const ESC = "\u001b";
const BELL = "\u0007";
const BACKSPACE = "\u0008";

/** CSI with its parameters and final byte; OSC, DCS and the like with their text; any other escape with its byte. */
const ESCAPE = new RegExp(
  `${ESC}(?:\\[([0-9;:?<=>!]*)[ -/]*([@-~])|[\\]PX^_][^\\n${BELL}${ESC}]{0,4000}(?:${BELL}|${ESC}\\\\)?|[ -/]*[0-~]?)`,
  "g",
);
const ERASED = new RegExp(`[^\\n${BACKSPACE}]${BACKSPACE}`, "g");

/** From here on it is all one colour: each change is an element more. */
const RUNS_MAX = 5000;

export function terminalRuns(said: string): Run[] {
  const runs: Run[] = [];
  let style = "";
  let at = 0;
  const add = (text: string) => {
    const last = runs.at(-1);
    if (last?.style === style) last.text += visible(text);
    else if (text !== "") runs.push({ text: visible(text), style });
  };
  const text = asLeft(said);
  for (const escape of text.matchAll(ESCAPE)) {
    if (runs.length >= RUNS_MAX) style = "";
    add(text.slice(at, escape.index));
    at = escape.index + escape[0].length;
    if (escape[2] === "m") style = styleAfter(style, escape[1] ?? "");
  }
  add(text.slice(at));
  return runs;
}

/** Progress that a command wrote over and over in one line, as its last. */
function asLeft(said: string): string {
  return said.split("\n").map(lastOf).join("\n").replaceAll(ERASED, "");
}

function lastOf(line: string): string {
  const end = line.endsWith("\r") ? line.replace(/\r+$/, "") : line;
  return end.slice(end.lastIndexOf("\r") + 1);
}

function styleAfter(before: string, parameters: string): string {
  const parts = new Set(before.split(" ").filter(Boolean));
  const recolour = (name?: string) => {
    for (const colour of COLOURS) parts.delete(colour);
    if (name !== undefined) parts.add(name);
  };
  const codes = (parameters === "" ? "0" : parameters).split(/[;:]/).map(Number);
  for (let n = 0; n < codes.length; n++) {
    const code = codes[n] ?? 0;
    if (code === 0) parts.clear();
    else if (code === 1) parts.add("bold");
    else if (code === 2) parts.add("dim");
    else if (code === 22) ["bold", "dim"].forEach((name) => parts.delete(name));
    else if (code === 38 || code === 48) {
      const isOfMany = codes[n + 1] === 5;
      if (code === 38) recolour(isOfMany ? COLOURS[(codes[n + 2] ?? 99) % 8] : undefined);
      n += isOfMany ? 2 : 4;
    } else if (code === 39) recolour();
    else if (code >= 30 && code <= 37) recolour(COLOURS[code - 30]);
    else if (code >= 90 && code <= 97) recolour(COLOURS[code - 90]);
  }
  return [...parts].join(" ");
}
