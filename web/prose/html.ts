// A Markdown token as HTML. Raw HTML of a model is shown as the text that it is, so that nothing it wrote vanishes and
// nothing of it becomes active; the sanitiser then looks at what was made here, once more.
import { Parser, Renderer, type Token, type Tokens } from "marked";

/** Bare tags without any attribute, which only set text. */
const SETTING = /^<\/?(?:br|b|i|em|strong|s|del|ins|u|mark|small|sub|sup|kbd|code)\s*\/?>$/i;

/** A paragraph of more lines is shown as it is written: each line would be an element more. */
const LINES_MAX = 1000;

export function htmlOf(token: Token): string {
  return parser.parse([token]);
}

class ProseRenderer extends Renderer {
  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    if (SETTING.test(text.trim())) return text;
    return block ? `<p class="raw">${escaped(text.trimEnd())}</p>` : escaped(text);
  }

  /** Always escaped: marked lets text through that stands after a raw tag. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : escaped(token.text);
  }

  override paragraph(token: Tokens.Paragraph): string {
    const lines = token.text.split("\n").length;
    return lines > LINES_MAX ? `<p class="raw">${escapedAll(token.text)}</p>` : super.paragraph(token);
  }

  /** The session's title is the page's first heading; those of a message stand below it. */
  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(6, depth + 2);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  }

  override code({ text, lang = "" }: Tokens.Code): string {
    const language = /^[\w+#.-]{1,30}/.exec(lang.trim())?.[0].toLowerCase();
    const named = language === undefined ? "" : ` class="language-${language}"`;
    return `<pre><code${named}>${escapedAll(text)}</code></pre>`;
  }

  override codespan({ text }: Tokens.Codespan): string {
    return `<code>${escapedAll(text)}</code>`;
  }

  override link({ href, title, tokens }: Tokens.Link): string {
    const titled = title ? ` title="${escaped(title)}"` : "";
    return `<a href="${escaped(href)}"${titled}>${this.parser.parseInline(tokens)}</a>`;
  }

  /** No image yet: where it lies, for the placeholder that a person may click. */
  override image({ href, text }: Tokens.Image): string {
    return `<span class="image" data-src="${escaped(href)}">${escaped(text)}</span>`;
  }
}

const renderer = new ProseRenderer();
const parser = new Parser({ renderer });

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Character references of the text stay what they are. */
function escaped(text: string): string {
  return text.replaceAll(
    /[<>"']|&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});)/gi,
    (char) => ESCAPES[char] ?? char,
  );
}

export function escapedAll(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}
