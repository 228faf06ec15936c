// The text of an input: all of it, or how it begins with a way to the rest.
import { Show, type Accessor, type JSX } from "solid-js";
import { blobOf, textOf } from "../../src/session/parts.ts";
import type { Message } from "../../src/session/view.ts";
import { TextWhole } from "./text-whole.tsx";

export function InputText(props: {
  input: Extract<Message, { kind: "input" }>;
  shown: (text: Accessor<string>) => JSX.Element;
}) {
  const beginning = () => textOf(props.input.text);
  return (
    <Show when={blobOf(props.input.text)} fallback={props.shown(beginning)}>
      {(blob) => <TextWhole blob={blob()} file="input.txt" beginning={beginning} shown={props.shown} />}
    </Show>
  );
}
