// A row of the transcript, by its kind.
import { Match, Show, Switch, type JSX } from "solid-js";
import type { By } from "../../src/session/event.ts";
import { textOf } from "../../src/session/parts.ts";
import type { Message } from "../../src/session/view.ts";
import { Prose } from "../prose/prose.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { DelegateResult } from "./delegate-result.tsx";
import { isDelegateResult } from "./is-delegate-result.ts";
import { InputActions } from "./input-actions.tsx";
import { InputFiles } from "./input-files.tsx";
import { InputText } from "./input-text.tsx";
import { SessionLink } from "./lineage.tsx";
import { Step } from "./step.tsx";
import { TurnEnd } from "./turn-end.tsx";

type Kind<K extends Message["kind"]> = Extract<Message, { kind: K }>;

export function MessageRow(props: {
  message: Message;
  /** In the list, of which only a part is in the document. */
  index: number;
  isShown: boolean;
  ref: (row: HTMLLIElement) => void;
}) {
  return (
    <li
      ref={props.ref}
      id={props.message.id}
      data-index={props.index}
      class={`message ${props.message.kind}`}
      data-state={stateOf(props.message)}
      classList={{ shown: props.isShown, result: isDelegateResult(props.message) }}
      title={wholeTime(props.message.at)}
    >
      {row(props.message)}
    </li>
  );
}

/** How far a step came, how a turn ended, what a divider is for. */
function stateOf(message: Message): string | undefined {
  switch (message.kind) {
    case "step":
      return message.state;
    case "turn_end":
      return message.outcome;
    case "divider":
      return message.divider;
    default:
      return undefined;
  }
}

/** A message never changes its kind, so this is asked once. */
function row(message: Message): JSX.Element {
  switch (message.kind) {
    case "input":
      return <Input input={message} />;
    case "step":
      return <Step step={message} />;
    case "turn_end":
      return <TurnEnd end={message} />;
    case "divider":
      return <Divider divider={message} />;
    case "notice":
      return <Notice notice={message} />;
    case "task":
      return <Task task={message} />;
  }
}

function Input(props: { input: Kind<"input"> }) {
  return (
    <Show when={isDelegateResult(props.input)} fallback={<Said input={props.input} />}>
      <DelegateResult input={props.input} />
    </Show>
  );
}

function Said(props: { input: Kind<"input"> }) {
  const me = useMe();
  const author = () => authorWords(props.input.by, me());
  return (
    <>
      <span class="unseen">{author() ?? "You"}: </span>
      <InputText input={props.input} shown={(text) => <p class="text">{text()}</p>} />
      <Show when={props.input.attachments.length > 0}>
        <InputFiles files={props.input.attachments} />
      </Show>
      <Show when={props.input.input === "steer" || author()}>
        <p class="note">
          {[props.input.input === "steer" ? "steered" : "", author()].filter(Boolean).join(" · ")}
        </p>
      </Show>
      <InputActions input={props.input} />
    </>
  );
}

/** Unknown until the server has said hello. */
function useMe(): () => string | undefined {
  const { connection } = useDashboard();
  return () => {
    const now = connection();
    return now.state === "connected" ? now.hello.person : undefined;
  };
}

/** Undefined for oneself. */
function authorWords(by: By, me: string | undefined): string | undefined {
  if ("executor" in by) return "the agent";
  if ("keeper" in by) return by.keeper;
  if (by.program) return by.device ?? by.person;
  return me === undefined || by.person === me ? undefined : by.person;
}

function Divider(props: { divider: Kind<"divider"> }) {
  const me = useMe();
  return (
    <p class="line">
      <Switch>
        <Match when={props.divider.divider === "compacted"}>
          {props.divider.text === "fallback"
            ? "context compacted to an extract, since no summary could be made"
            : "context compacted"}
        </Match>
        <Match when={props.divider.divider === "forked"}>
          forked from <SessionLink session={props.divider.text} otherwise="another session" />
        </Match>
        <Match when={props.divider.divider === "imported"}>
          imported{props.divider.text === "" ? "" : ` from ${props.divider.text}`}
        </Match>
        <Match when={props.divider.divider === "ended"}>session ended: {props.divider.text}</Match>
        <Match when={props.divider.divider === "recovered"}>picked up again after an interruption</Match>
        <Match when={props.divider.divider === "detached"}>went on in the background</Match>
        <Match when={props.divider.divider === "retried"}>
          {["", me()].includes(props.divider.text) ? "tried again" : `tried again by ${props.divider.text}`}
        </Match>
      </Switch>
    </p>
  );
}

function Notice(props: { notice: Kind<"notice"> }) {
  return <p class={`text ${props.notice.level}`}>{props.notice.text}</p>;
}

function Task(props: { task: Kind<"task"> }) {
  return (
    <div class="card">
      <b>{props.task.title}</b> <span class="note">{props.task.outcome ?? "in the background"}</span>
      <Show when={props.task.summary}>
        {(summary) => <Prose class="text" text={textOf(summary())} isGrowing={false} />}
      </Show>
    </div>
  );
}
