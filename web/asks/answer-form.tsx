// The ways to answer: buttons for what can be said with one press, a field for words.
import { For, Show } from "solid-js";
import { isDenial, isNumbered } from "../../src/session/answer.ts";
import type { Answering } from "../state/answers.ts";
import { choiceAnswer, toggled } from "./answer-key.ts";
import type { ShownAsk } from "./shown-ask.ts";

const ANSWER_MAX_CHARS = 10_000;

export function AnswerForm(props: { ask: ShownAsk; answer: Answering }) {
  return (
    <Show when={props.ask.kind === "approval"} fallback={<Question {...props} />}>
      <Approval {...props} />
    </Show>
  );
}

function Approval(props: { ask: ShownAsk; answer: Answering }) {
  const allowing = () => props.ask.choices.filter(({ id }) => !isDenial(id));
  const denial = () => props.ask.choices.find(({ id }) => isDenial(id));
  const numberOf = (id: string) => props.ask.choices.findIndex((choice) => choice.id === id) + 1;
  const send = (id: string) => void props.answer.send(choiceAnswer(props.ask, id, props.answer.text));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault(); // by Enter in the field, whose words are for a denial
        const deny = denial();
        if (deny && props.answer.text.trim() !== "") send(deny.id);
      }}
    >
      <div class="choices">
        <For each={allowing()}>
          {({ id, label }) => (
            <Choice
              label={label}
              number={numberOf(id)}
              isFirst={id === allowing()[0]?.id}
              isBusy={props.answer.isSending}
              choose={() => send(id)}
            />
          )}
        </For>
        <Show when={denial()}>
          {(deny) => (
            <span class="deny">
              <Words answer={props.answer} label="Why not, for the agent" placeholder="Deny with a word…" />
              <Choice
                label={deny().label}
                number={numberOf(deny().id)}
                isBusy={props.answer.isSending}
                choose={() => send(deny().id)}
              />
            </span>
          )}
        </Show>
      </div>
    </form>
  );
}

function Question(props: { ask: ShownAsk; answer: Answering }) {
  const isEmpty = () => props.answer.text.trim() === "" && props.answer.values.length === 0;
  const send = () => {
    const text = props.answer.text.trim();
    const values = [...props.answer.values];
    if (!isEmpty())
      void props.answer.send({ ...(text !== "" && { text }), ...(values.length > 0 && { values }) });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Show when={props.ask.choices.length > 0}>
        <div class="choices" classList={{ several: props.ask.multiple }}>
          <For each={props.ask.choices}>
            {({ id, label }, at) => (
              <Show
                when={props.ask.multiple}
                fallback={
                  <Choice
                    label={label}
                    number={isNumbered(props.ask) ? at() + 1 : null}
                    isBusy={props.answer.isSending}
                    choose={() => void props.answer.send(choiceAnswer(props.ask, id, props.answer.text))}
                  />
                }
              >
                <label>
                  <input
                    type="checkbox"
                    checked={props.answer.values.includes(id)}
                    onChange={() => props.answer.setValues(toggled(props.answer.values, id))}
                  />
                  {label}
                </label>
              </Show>
            )}
          </For>
        </div>
      </Show>
      <div class="choices">
        <Words
          answer={props.answer}
          label="Answer"
          placeholder={props.ask.choices.length > 0 ? "Or in your own words" : "Your answer"}
        />
        <button class="go" type="submit" disabled={props.answer.isSending || isEmpty()}>
          Answer
        </button>
      </div>
    </form>
  );
}

function Choice(props: {
  label: string;
  /** The key that presses it. */
  number: number | null;
  isFirst?: boolean;
  isBusy: boolean;
  choose: () => void;
}) {
  return (
    <button
      type="button"
      classList={{ go: props.isFirst ?? false }}
      disabled={props.isBusy}
      onClick={() => props.choose()}
    >
      {props.label}
      <Show when={props.number !== null && props.number <= 9}>
        <kbd aria-hidden="true">{props.number}</kbd>
      </Show>
    </button>
  );
}

function Words(props: { answer: Answering; label: string; placeholder: string }) {
  return (
    <textarea
      rows={1}
      aria-label={props.label}
      placeholder={props.placeholder}
      maxlength={ANSWER_MAX_CHARS}
      value={props.answer.text}
      onInput={(event) => props.answer.setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        // An input method's own Enter ends a word, not the answer.
        if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}
