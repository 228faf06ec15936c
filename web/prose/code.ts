// A block of code: its language, a button that copies it, and colours once it is whole.
import { copyText } from "../copy.ts";
import { colourCode, type ColouredLine } from "./highlight.ts";
import { languageOf } from "./languages.ts";

const COPIED_MS = 1500;

export function dressCode(pre: HTMLPreElement, { isGrowing }: { isGrowing: boolean }): void {
  const code = pre.querySelector("code") ?? pre;
  const language = /^language-(.+)$/.exec(code.className)?.[1];
  const figure = document.createElement("figure");
  figure.className = "code";
  pre.replaceWith(figure);
  pre.tabIndex = 0;
  pre.ariaLabel = language === undefined ? "Code" : `Code, ${language}`;
  figure.append(
    head(language ?? "", () => code.textContent),
    pre,
  );
  const known = languageOf(language ?? "");
  if (isGrowing || known === undefined) return;
  colourCode(code.textContent, known, (lines) => code.replaceChildren(...coloured(lines)));
}

function coloured(lines: ColouredLine[]): Node[] {
  return lines.flatMap((line, n) => [...(n === 0 ? [] : [new Text("\n")]), ...line.map(piece)]);
}

function piece([text, kind]: ColouredLine[number]): Node {
  if (kind === "") return new Text(text);
  const span = document.createElement("span");
  span.className = `k-${kind}`;
  span.textContent = text;
  return span;
}

function head(language: string, text: () => string): HTMLElement {
  const caption = document.createElement("figcaption");
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "quiet";
  copy.textContent = "Copy";
  copy.addEventListener("click", () => {
    void copyText(text()).then((isCopied) => {
      copy.textContent = isCopied ? "Copied" : "Not copied";
      setTimeout(() => (copy.textContent = "Copy"), COPIED_MS);
    });
  });
  caption.append(language, copy);
  return caption;
}
