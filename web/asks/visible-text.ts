// Text that somebody judges before it runs: whatever would hide, reorder or imitate is shown as what it is.

export type Piece = { text: string; hidden: boolean };

// Controls, formats such as bidi and zero-width characters, separators and spaces but the plain ones, halves of characters,
// characters that nobody has defined, and all that a font may leave out, such as fillers and variation selectors.
const HIDDEN = /(?![ \n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{DI}]/gu;

/** In order; a hidden piece is one character as its code point, such as `U+202E`. */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
    pieces.push({ text: codePoint(found), hidden: true });
    from = index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
