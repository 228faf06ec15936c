// What others wrote, made safe to print: a model, a tool or a web page must not be able to steer the terminal, and
// what could make a line read otherwise than it is becomes visible.
import { stripVTControlCharacters } from "node:util";

/** For text of several lines. */
export function visible(text: string): string {
  return exact(stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n"));
}

/** With nothing left out: what someone is to approve is seen to its last byte. */
export function exact(text: string): string {
  return text.replaceAll(CONTROL, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x20
      ? String.fromCodePoint(0x2400 + code)
      : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** For a table's cell or a title. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll(/\s+/g, " ").trim();
}

/** Controls but newline and tab, and what turns the direction of writing around. */
const CONTROL = /(?![\n\t])\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Columns that a text takes up: wide characters two, marks that join to the one before none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** At most so many columns, with … where something was left out. */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = used + (WIDE.test(segment) ? 2 : 1);
    if (next > width - 1) break;
    cut += segment;
    used = next;
  }
  return width > 0 ? `${cut}…` : "";
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
