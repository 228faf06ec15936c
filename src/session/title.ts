// What a session is called until someone names it: how its first input begins.

const TITLE_CHARS = 72;

export function titleFrom(text: string): string {
  const line = columnText(text).trim().split("\n", 1).join().replaceAll(/\s+/g, " ");
  if (line.length <= TITLE_CHARS) return line;
  const cut = line.slice(0, TITLE_CHARS);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > TITLE_CHARS / 2 ? space : TITLE_CHARS).toWellFormed()}…`;
}

/** Without what no column holds: NUL, and half of a surrogate pair. */
export function columnText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
