// What a session is called until someone names it: how its first input begins.

const TITLE_CHARS = 72;

export function titleFrom(text: string): string {
  const line = text.trim().split("\n", 1).join().replaceAll("\0", "").replaceAll(/\s+/g, " "); // NUL is refused in a title
  if (line.length <= TITLE_CHARS) return line;
  const cut = line.slice(0, TITLE_CHARS);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > TITLE_CHARS / 2 ? space : TITLE_CHARS).toWellFormed()}…`;
}
