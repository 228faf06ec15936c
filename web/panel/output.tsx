// What a process says, live: the end of it, and what is added from there on.
import { createEffect, createMemo, createSignal, on, onCleanup, onMount, Show } from "solid-js";
import { failureWords } from "../failure-words.ts";
import { TerminalText } from "../session/terminal.tsx";
import { useDashboard } from "../state/dashboard.ts";

/** So much of it is kept in the page; all of it lies in a file on its host. */
const KEPT_CHARS = 64 * 1024;
const END_PX = 24;

export function ProcessOutput(props: { process: string }) {
  const { client, processes } = useDashboard();
  const [said, setSaid] = createSignal("");
  const [isCut, setCut] = createSignal(false);
  const [isOver, setOver] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  let box: HTMLPreElement | undefined;
  let isAtEnd = true;
  let stop: (() => void) | undefined;
  const left = new AbortController();

  onMount(() => void begin());
  onCleanup(() => {
    left.abort();
    stop?.();
  });
  createEffect(
    on(said, () => {
      if (isAtEnd && box) box.scrollTop = box.scrollHeight;
    }),
  );

  /** From near its end: a log of gigabytes is not read through to see its last line. */
  async function begin(): Promise<void> {
    const { process } = props;
    try {
      const { bytes } = await client.processOutput(process, { limit: 4 }, left.signal);
      if (left.signal.aborted) return;
      const from = Math.max(0, bytes - KEPT_CHARS);
      setCut(from > 0);
      stop = processes.followOutput(process, from, (frame) => {
        if (frame.op === "error") {
          setFailure(frame.detail);
          return;
        }
        add(frame.text);
        setOver(frame.over);
      });
    } catch (error) {
      if (!left.signal.aborted) setFailure(failureWords(error));
    }
  }

  function add(text: string): void {
    const all = said() + text;
    if (all.length > KEPT_CHARS) setCut(true);
    setSaid(all.slice(-KEPT_CHARS));
  }

  /** A line of which the beginning is gone is no line. */
  const shown = createMemo(() => (isCut() ? said().slice(said().indexOf("\n") + 1) : said()));

  return (
    <>
      <Show when={failure()}>
        <p class="failure" role="alert">
          {failure()}
        </p>
      </Show>
      <Show when={isCut()}>
        <p class="note">
          This is the end of it; <code>holdfast logs {props.process}</code> has all of it.
        </p>
      </Show>
      <Show
        when={shown() !== ""}
        fallback={
          <Show when={failure() === undefined}>
            <p class="note">{isOver() ? "It has said nothing." : "It has said nothing yet."}</p>
          </Show>
        }
      >
        <pre
          ref={box}
          class="said"
          tabindex="0"
          aria-label="Output"
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
            isAtEnd = scrollHeight - scrollTop - clientHeight < END_PX;
          }}
        >
          <TerminalText text={shown()} />
        </pre>
      </Show>
    </>
  );
}
