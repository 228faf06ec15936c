// Markdown's grammar has texts that take time by the square, nest without end or unfold to a thousand times their size.
// This lexer reads those as plain text: what a model writes must not stop the page.
import { Lexer, Tokenizer, type Token, type Tokens, type TokensList } from "marked";

/** Lists and quotes within each other; deeper ones are text. */
const DEPTH_MAX = 16;
/** A row of a table is padded to the width of its head, so a few characters may be many cells. */
const CELLS_MAX = 6000;
/** Marks times characters of a run: about 5 ns each, measured on `a_a_a_…`. */
const INLINE_EFFORT_MAX = 6e6;

class BoundedTokenizer extends Tokenizer {
  override table(src: string): Tokens.Table | undefined {
    const [head = "", below] = src.split("\n", 2);
    if (below === undefined || !head.includes("|")) return undefined;
    const [rows = ""] = src.split("\n\n", 1);
    return count(head, /\|/g) * count(rows, /\n/g) > CELLS_MAX ? undefined : super.table(src);
  }
}

export class BoundedLexer extends Lexer {
  #depth = 0;

  constructor() {
    super({ gfm: true, breaks: true, tokenizer: new BoundedTokenizer() });
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#depth >= DEPTH_MAX) {
      tokens.push({ type: "text", raw: src, text: src, escaped: false } satisfies Tokens.Text);
      return tokens;
    }
    this.#depth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length * count(src, /[*_~`[\]!<@&\\]/g) <= INLINE_EFFORT_MAX)
      return super.inlineTokens(src, tokens);
    tokens.push({ type: "text", raw: src, text: src, escaped: false } satisfies Tokens.Text);
    return tokens;
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
