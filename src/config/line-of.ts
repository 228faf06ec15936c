// On which line of a TOML text a value stands. The parser keeps no positions, and a fault without its line is a hunt.

export type KeyPath = readonly (string | number)[];

/** The line (from 1) of the value, or of the nearest table around it; 1 when nothing of it is in the text. */
export function lineOf(text: string, path: KeyPath): number {
  const wanted = path.map(String);
  let best = { line: 1, depth: 0 };
  for (const { line, at } of keyLines(text)) {
    const depth = sharedDepth(at, wanted);
    // The first line that reaches as deep as any: a table's header before the keys inside it.
    if (depth > best.depth && depth === at.length) best = { line, depth };
  }
  return best.line;
}

/** Every line that names a table or a key, with its whole path. */
function* keyLines(text: string): Generator<{ line: number; at: string[] }> {
  let table: string[] = [];
  const counts = new Map<string, number>();
  let quote: string | undefined; // of the multi-line string that we are in
  for (const [index, raw] of text.split("\n").entries()) {
    const line = index + 1;
    const content = quote === undefined ? raw.trim() : undefined;
    if (content?.startsWith("[[")) {
      const name = keyParts(content.slice(2));
      const count = counts.get(name.join("\0")) ?? 0;
      counts.set(name.join("\0"), count + 1);
      table = [...name, String(count)];
      yield { line, at: table };
    } else if (content?.startsWith("[")) {
      table = keyParts(content.slice(1));
      yield { line, at: table };
    } else if (content !== undefined && content !== "" && !content.startsWith("#")) {
      const key = keyParts(content);
      if (key.length > 0) {
        yield { line, at: [...table, ...key] };
        for (const inner of inlineKeys(content)) yield { line, at: [...table, ...key, inner] };
      }
    }
    quote = openQuote(raw, quote);
  }
}

/** `a."b c".d = 1` or `a.b]` → its parts, up to the `=` or the bracket. */
function keyParts(text: string): string[] {
  const parts: string[] = [];
  const part = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.)?/y;
  for (let match = part.exec(text); match; match = part.exec(text)) {
    parts.push(match[1] ?? match[2] ?? match[3] ?? "");
    if (match[4] === undefined) break;
  }
  return parts;
}

/** The keys of an inline table on this line. */
function inlineKeys(content: string): string[] {
  const table = /=\s*\{(.*)\}/.exec(content)?.[1];
  if (table === undefined) return [];
  return Array.from(table.matchAll(/(?:^|,)\s*"?([A-Za-z0-9_-]+)"?\s*=/g), (match) => match[1] ?? "");
}

function openQuote(line: string, quote: string | undefined): string | undefined {
  let open = quote;
  for (const [found] of line.matchAll(/"""|'''/g)) {
    if (open === undefined) open = found;
    else if (open === found) open = undefined;
  }
  return open;
}

function sharedDepth(at: readonly string[], wanted: readonly string[]): number {
  let depth = 0;
  while (depth < at.length && depth < wanted.length && at[depth] === wanted[depth]) depth++;
  return depth;
}
