// Text on its way to a terminal, broken at words. It never fills a row to its last column: a cursor that stands behind that
// can't be brought back there.
import { displayWidth } from "../visible.ts";

/** Where a text has come to: the column, the styles that are open there, and whether within a word that had to be broken. */
export type Place = { column: number; styles: readonly string[]; isBroken: boolean };

export const ORIGIN: Place = { column: 0, styles: [], isBroken: false };

const ESC = "\x1b";
/** A style, a line break, spaces, a word. */
const TOKEN = new RegExp(`${ESC}\\[([\\d;]*)m|\\n|[^\\S\\n]+|[^\\s${ESC}]+|${ESC}`, "g");

export function flow(text: string, from: Place, columns: number): { text: string; to: Place } {
  const width = Math.max(1, columns - 1);
  let { column, styles, isBroken } = from;
  let flowed = "";
  for (const [token, code] of text.matchAll(TOKEN)) {
    if (code !== undefined) {
      styles = styled(styles, code);
      flowed += token;
      continue;
    }
    const isSpace = token.trim() === "";
    if (isSpace) isBroken = false;
    if (token === "\n") {
      flowed += token;
      column = 0;
      continue;
    }
    const wide = displayWidth(token);
    if (column + wide <= width) {
      flowed += token;
      column += wide;
    } else if (isSpace) {
      column = width; // the row ends with it
    } else {
      isBroken ||= wide > width;
      const rows = brokenUp(token, isBroken ? width - column : 0, width);
      flowed += rows.join("\n");
      column = displayWidth(rows.at(-1) ?? "");
    }
  }
  return { text: flowed, to: { column, styles, isBroken } };
}

/** How to write on in these styles. */
export function opened(styles: readonly string[]): string {
  return styles.map((code) => `${ESC}[${code}m`).join("");
}

/** A word in rows, the first of which has only so much room; it is empty when there is none. */
function brokenUp(word: string, room: number, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  let left = room;
  for (const { segment } of graphemes.segment(word)) {
    const wide = displayWidth(segment);
    if (wide > left) {
      rows.push(row);
      row = "";
      left = width;
    }
    row += segment;
    left -= wide;
  }
  return [...rows, row];
}

/** As styleText writes them: 22 ends bold and dim, 39 a colour, 0 all. */
function styled(styles: readonly string[], code: string): string[] {
  if (code === "" || code === "0") return [];
  if (code === "22") return styles.filter((open) => open !== "1" && open !== "2");
  if (code === "39") return styles.filter((open) => !/^[39]\d$/.test(open));
  return [...styles, code];
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
