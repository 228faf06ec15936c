// What a command wants to know before it runs: one line. What was typed stays until it is done.
import { createSignal, onMount, Show } from "solid-js";
import { failureWords } from "../failure-words.ts";
import { askedPalette, closePalette, type Question } from "./open.ts";

const ANSWER_MAX_CHARS = 300;

export function PaletteQuestion(props: { question: Question }) {
  const [text, setText] = createSignal(props.question.value);
  const [failure, setFailure] = createSignal<string>();
  const [isRunning, setRunning] = createSignal(false);
  let field!: HTMLInputElement;
  onMount(() => {
    field.focus();
    field.select();
  });

  async function answer(): Promise<void> {
    const opened = askedPalette();
    setFailure(undefined);
    setRunning(true);
    try {
      await props.question.run(text().trim());
      if (askedPalette() === opened) closePalette();
    } catch (error) {
      setFailure(failureWords(error));
      field.focus();
    } finally {
      setRunning(false);
    }
  }

  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        if (text().trim() !== "" && !isRunning()) void answer();
      }}
    >
      <label>
        {props.question.label}
        <input
          ref={field}
          autocomplete="off"
          maxlength={ANSWER_MAX_CHARS}
          aria-invalid={failure() !== undefined}
          value={text()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Show when={failure()}>
        <p class="failure" role="alert">
          {failure()}
        </p>
      </Show>
      <div class="acts">
        <button type="button" onClick={() => closePalette()}>
          Cancel
        </button>
        <button class="go" type="submit" disabled={text().trim() === "" || isRunning()}>
          {props.question.verb}
        </button>
      </div>
    </form>
  );
}
