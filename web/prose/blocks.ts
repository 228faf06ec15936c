// A text that grows, as blocks: those that are finished are lexed and rendered once and never again, only the last one
// anew with each piece. When the text is whole it is read once more as a whole, since what a later line defines may
// change an earlier block; blocks that came out the same stay the same objects.
import { BoundedLexer } from "./bounded-lexer.ts";
import { escapedAll, htmlOf } from "./html.ts";

export type Block = {
  readonly html: string;
  /** More may come to it: it has no finish yet. */
  readonly isGrowing: boolean;
};

/** Beyond either of these the rest of a text is shown as it is written. */
export const MARKDOWN_MAX_CHARS = 200_000;
export const BLOCKS_MAX = 1500;

/** Of one text: called with all that there is of it so far, as often as there is more. */
export function createBlocks(): (text: string, isGrowing: boolean) => readonly Block[] {
  let read = "";
  let blocks: readonly Block[] = [];
  /** Finished while the text grew, and how much of it they are. */
  let done: Block[] = [];
  let doneChars = 0;
  let links: BoundedLexer["tokens"]["links"] = {};

  return (given, isGrowing) => {
    const text = given.includes("\r") ? given.replaceAll(/\r\n?/g, "\n") : given;
    if (!text.startsWith(read)) {
      done = [];
      doneChars = 0;
      links = {};
    }
    read = text;
    blocks = isGrowing ? grown(text) : kept(blocks, wholeBlocks(text));
    return blocks;
  };

  function grown(text: string): readonly Block[] {
    if (text.length > MARKDOWN_MAX_CHARS || done.length >= BLOCKS_MAX)
      return [...done, plain(text.slice(doneChars), true)];
    const lexer = new BoundedLexer();
    Object.assign(lexer.tokens.links, links);
    const tokens = lexer.lex(withoutLoneMarks(text.slice(doneChars)));
    links = lexer.tokens.links;
    const last = tokens.findLastIndex(({ type }) => type !== "space");
    for (const token of tokens.slice(0, Math.max(last, 0))) {
      doneChars += token.raw.length;
      const html = htmlOf(token);
      if (html !== "") done.push({ html, isGrowing: false });
    }
    const tail = tokens[last];
    return tail === undefined ? [...done] : [...done, { html: htmlOf(tail), isGrowing: true }];
  }
}

export function wholeBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let chars = 0;
  for (const token of new BoundedLexer().lex(text.slice(0, MARKDOWN_MAX_CHARS))) {
    if (blocks.length >= BLOCKS_MAX) break;
    chars += token.raw.length;
    const html = htmlOf(token);
    if (html !== "") blocks.push({ html, isGrowing: false });
  }
  return chars < text.length ? [...blocks, plain(text.slice(chars), false)] : blocks;
}

function kept(before: readonly Block[], now: readonly Block[]): readonly Block[] {
  return now.map((block, n) => {
    const same = before[n];
    return same && !same.isGrowing && same.html === block.html ? same : block;
  });
}

/** A line of nothing but marks may become anything with the next piece: a heading, a list, the end of the code. */
function withoutLoneMarks(text: string): string {
  return text.replace(/\n[ \t]{0,8}(?:[-=*+#>|~`]{1,3}|\d{1,3}[.)]?)[ \t]*$/, "\n");
}

function plain(text: string, isGrowing: boolean): Block {
  return { html: `<p class="raw">${escapedAll(text)}</p>`, isGrowing };
}
