// What a model says, as Markdown that grows. Each block is made once; while the text grows only the last is made anew.
import { createMemo, createSignal, For, onCleanup } from "solid-js";
import { createBlocks, type Block } from "./blocks.ts";
import { dress } from "./dress.ts";
import { sanitised } from "./sanitise.ts";

/** A text that takes long to show is shown less often: so much of the time may go into it. */
const SHARE = 1 / 8;

export function Prose(props: { text: string; isGrowing: boolean; class?: string; part?: string }) {
  const blocks = createPacedBlocks(props);
  return (
    <div class={`prose ${props.class ?? ""}`} data-part={props.part}>
      <For each={blocks()}>{element}</For>
    </div>
  );
}

function createPacedBlocks(props: { text: string; isGrowing: boolean }): () => readonly Block[] {
  const blocksOf = createBlocks();
  const [due, setDue] = createSignal(0);
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  return createMemo((before: readonly Block[]) => {
    due();
    const { text, isGrowing } = props;
    const began = performance.now();
    clearTimeout(timer);
    if (isGrowing && began < notBefore) {
      timer = setTimeout(() => setDue((n) => n + 1), notBefore - began);
      return before;
    }
    const blocks = blocksOf(text, isGrowing);
    const ended = performance.now();
    notBefore = ended + (ended - began) / SHARE;
    return blocks;
  }, []);
}

function element({ html, isGrowing }: Block): HTMLElement {
  const fragment = sanitised(html);
  const between = Array.from(fragment.childNodes).filter((node) => node.nodeName === "#text");
  for (const node of between) if (node.textContent?.trim() === "") node.remove();
  dress(fragment, { isGrowing });
  const block = document.createElement("div");
  block.append(fragment);
  if (isGrowing) endOf(block).append(caret());
  return block;
}

/** Where the next word will stand. */
function endOf(block: Element): Element {
  const last = block.lastElementChild;
  const isAround =
    last !== null &&
    /^(P|UL|OL|LI|BLOCKQUOTE|H[3-6]|FIGURE|PRE|CODE|DIV|TABLE|TBODY|TR|TD)$/.test(last.tagName);
  return isAround && last.nextSibling === null ? endOf(last) : block;
}

function caret(): HTMLElement {
  const made = document.createElement("span");
  made.className = "caret";
  made.ariaHidden = "true";
  return made;
}
