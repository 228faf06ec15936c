// A text with some of its words marked.
import { createMemo, For } from "solid-js";
import type { Span } from "../palette/fuzzy.ts";

export function Marked(props: { text: string; spans: Iterable<Span> }) {
  const pieces = createMemo(() => Array.from(piecesOf(props.text, props.spans)));
  return <For each={pieces()}>{({ text, isMarked }) => (isMarked ? <mark>{text}</mark> : text)}</For>;
}

function* piecesOf(text: string, spans: Iterable<Span>): Generator<{ text: string; isMarked: boolean }> {
  let at = 0;
  for (const { from, to } of spans) {
    if (from > at) yield { text: text.slice(at, from), isMarked: false };
    yield { text: text.slice(from, to), isMarked: true };
    at = to;
  }
  if (at < text.length) yield { text: text.slice(at), isMarked: false };
}
