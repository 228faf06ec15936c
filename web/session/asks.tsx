// What the agent asks, with the ways to answer. The card goes when the log says that it was answered, by whomever.
import { createSignal, For, Show } from "solid-js";
import type { OpenAsk } from "../../src/session/view.ts";
import { failureWords } from "../failure-words.ts";
import { useDashboard } from "../state/dashboard.ts";

export function OpenAsks(props: { asks: readonly OpenAsk[] }) {
  return <For each={props.asks}>{(ask) => <AskCard ask={ask} />}</For>;
}

function AskCard(props: { ask: OpenAsk }) {
  const { client } = useDashboard();
  const [failure, setFailure] = createSignal<string>();
  const [isBusy, setBusy] = createSignal(false);
  const isApproval = () => props.ask.kind === "approval";
  let form!: HTMLFormElement;

  async function answer(choice?: string): Promise<void> {
    const data = new FormData(form);
    const text = (data.get("text") as string).trim(); // the one text field below
    const values = choice === undefined ? (data.getAll("value") as string[]) : [choice];
    setFailure(undefined);
    setBusy(true);
    try {
      const said = text === "" ? {} : { text };
      await client.answerAsk(
        props.ask.ask,
        isApproval()
          ? { choice: choice as "once", ...said }
          : { ...said, ...(values.length > 0 && { values }) },
      );
    } catch (error) {
      setFailure(failureWords(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <li class="message ask" data-ask={props.ask.ask}>
      <b>{isApproval() ? "Waits for your approval" : "Waits for your answer"}</b>
      <p class="text">{props.ask.title}</p>
      <Show when={props.ask.command}>
        <pre>{props.ask.command}</pre>
      </Show>
      <Show when={props.ask.cwd}>
        <p class="note">in {props.ask.cwd}</p>
      </Show>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isApproval()) void answer();
        }}
      >
        <Show when={props.ask.multiple}>
          <For each={props.ask.choices}>
            {({ id, label }) => (
              <label>
                <input type="checkbox" name="value" value={id} /> {label}
              </label>
            )}
          </For>
        </Show>
        <input
          name="text"
          aria-label={isApproval() ? "A word with it" : "Answer"}
          placeholder={isApproval() ? "A word with it, if you like" : "Your answer"}
          autocomplete="off"
        />
        <div class="choices">
          <Show when={!props.ask.multiple}>
            <For each={props.ask.choices}>
              {({ id, label }) => (
                <button type="button" disabled={isBusy()} onClick={() => void answer(id)}>
                  {label}
                </button>
              )}
            </For>
          </Show>
          <Show when={!isApproval()}>
            <button class="go" type="submit" disabled={isBusy()}>
              Answer
            </button>
          </Show>
        </div>
      </form>
      <Show when={failure()}>
        <p class="failure" role="alert">
          {failure()}
        </p>
      </Show>
    </li>
  );
}
