// What others wrote, where it must read as what it is: a command, a path, output. Characters that would hide something or
// turn the direction of writing around are shown as what they are.

/** Controls but newline and tab, what has no width, and what turns the direction of writing around. */
const HIDDEN =
  /(?![\n\t])\p{Cc}|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
