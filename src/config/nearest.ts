// What someone probably meant: the known word with the fewest changes between, if that is few enough.

const CHANGES_MAX = 3;

export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { word: string; changes: number } | undefined;
  for (const each of known) {
    const changes = distance(word.toLowerCase(), each.toLowerCase());
    if (changes < (best?.changes ?? Infinity)) best = { word: each, changes };
  }
  const most = Math.min(CHANGES_MAX, Math.ceil(word.length / 3));
  return best !== undefined && best.changes <= most ? best.word : undefined;
}

/** Insertions, deletions and replacements between two words. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[b.length]!;
}
