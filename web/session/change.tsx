// A file that was written or edited, as the lines that went and came.
import { createMemo, For, Show } from "solid-js";
import { visible } from "../visible.ts";
import { countOf, diffOf, type DiffLine } from "./diff.ts";
import { textArgument } from "./tool-words.ts";

/** A write replaces what it does not know, so all of it is new. */
export function changeLines(name: string, args: unknown): DiffLine[] {
  return name === "edit"
    ? diffOf(textArgument(args, "old"), textArgument(args, "new"))
    : diffOf("", textArgument(args, "text"));
}

export function ChangeCount(props: { lines: readonly DiffLine[] }) {
  const count = createMemo(() => countOf(props.lines));
  return (
    <span class="count">
      <Show when={count().added > 0}>
        {" "}
        <span class="new">+{count().added}</span>
      </Show>
      <Show when={count().removed > 0}>
        {" "}
        <span class="gone">−{count().removed}</span>
      </Show>
    </span>
  );
}

const MARKS = { same: " ", gone: "−", new: "+" };

export function Change(props: { lines: readonly DiffLine[] }) {
  return (
    <pre class="diff" tabindex="0" aria-label="Change">
      <For each={props.lines.slice(0, LINES_MAX)}>
        {(line) =>
          line.kind === "skipped" ? (
            <span class="skipped">{`  ${line.count} lines as they were\n`}</span>
          ) : (
            <span class={line.kind}>{`${MARKS[line.kind]} ${visible(line.text)}\n`}</span>
          )
        }
      </For>
      <Show when={props.lines.length > LINES_MAX}>
        <span class="skipped">{`  and ${props.lines.length - LINES_MAX} more lines`}</span>
      </Show>
    </pre>
  );
}

const LINES_MAX = 2000;
