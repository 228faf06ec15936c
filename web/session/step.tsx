// One attempt of a step: prose leads, thinking is folded, tools are quiet rows.
import { createMemo, Index, Match, Show, Switch } from "solid-js";
import { stepFinishWords } from "../../src/session/finish-words.ts";
import type { Message, Part, TextPart, ToolPart } from "../../src/session/view.ts";
import { Prose } from "../prose/prose.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { clockTime, duration } from "../time-words.ts";
import { Fold } from "./fold.tsx";
import { useSession } from "./session-context.ts";
import { TextWhole } from "./text-whole.tsx";
import { Tool } from "./tool.tsx";

type StepRow = Extract<Message, { kind: "step" }>;

export function Step(props: { step: StepRow }) {
  const { lostAt } = useDashboard();
  const { session } = useSession();
  /** Not once Holdfast gave the session up: nobody writes on until it is tried again. */
  const isStreaming = () => props.step.state === "streaming" && session.view?.failed !== true;
  /** Unheard of, nobody knows whether it still grows. */
  const isGrowing = () => isStreaming() && lostAt() === null;
  const isAborted = () => props.step.state === "aborted";
  const isSuperseded = createMemo(
    () =>
      isAborted() &&
      session.messages.some(
        (message) =>
          message.kind === "step" && message.step === props.step.step && message.attempt > props.step.attempt,
      ),
  );
  return (
    <div class={isSuperseded() ? "aborted superseded" : props.step.state}>
      <span class="unseen">{props.step.model}: </span>
      {/* By place: the fact that completes a step brings new parts, and what is on the page must not flicker for it. */}
      <Index each={props.step.parts}>
        {(part, n) => (
          <PartRow
            part={part()}
            step={props.step}
            isGrowing={isGrowing() && n === props.step.parts.length - 1}
          />
        )}
      </Index>
      <Show when={isStreaming() && props.step.parts.length === 0}>
        <p class="note">
          {props.step.model} {isGrowing() ? "is" : "was"} thinking
          <Show when={isGrowing()}>
            <Caret />
          </Show>
        </p>
      </Show>
      <Show when={stepFinishWords(props.step)}>{(why) => <p class="note">{why()}</p>}</Show>
      {/* A stop is told by the turn's end, right below. */}
      <Show when={isAborted() && props.step.reason !== "stopped"}>
        <Aborted step={props.step} isSuperseded={isSuperseded()} />
      </Show>
    </div>
  );
}

function PartRow(props: { part: Part; step: StepRow; isGrowing: boolean }) {
  const kind = createMemo(() => props.part.kind);
  return (
    <Switch>
      <Match when={kind() === "text"}>
        <Said part={props.part as TextPart} isGrowing={props.isGrowing} />
      </Match>
      <Match when={kind() === "reasoning"}>
        <Thought part={props.part as TextPart} since={props.step.at} isGrowing={props.isGrowing} />
      </Match>
      <Match when={kind() === "tool"}>
        <Tool part={props.part as ToolPart} after={props.step.position} />
      </Match>
    </Switch>
  );
}

function Said(props: { part: TextPart; isGrowing: boolean }) {
  const prose = (text: () => string) => (
    <Prose class="text" part={props.part.id} text={text()} isGrowing={props.isGrowing} />
  );
  // Whoever saw it come has all of it: it does not shrink to how it begins because it is finished.
  const seen = createMemo(
    (before: string) => (before.startsWith(props.part.text) ? before : props.part.text),
    "",
  );
  const blob = () => (seen().length > props.part.text.length ? null : props.part.blob);
  return (
    <Show when={blob()} fallback={prose(seen)}>
      {(blob) => (
        <TextWhole blob={blob()} file="message.md" beginning={() => props.part.text} shown={prose} />
      )}
    </Show>
  );
}

function Thought(props: { part: TextPart; since: string; isGrowing: boolean }) {
  const { now } = useDashboard();
  const words = () => {
    if (props.isGrowing) return `Thinking for ${duration(secondsSince(props.since, now()))}`;
    return props.part.ms === null ? "Thought" : `Thought for ${duration(props.part.ms)}`;
  };
  return (
    <Fold
      name={props.part.id}
      class="reasoning"
      part={props.part.id}
      summary={
        <>
          {words()}
          <Show when={props.isGrowing}>
            <Caret />
          </Show>
        </>
      }
      closed={<p class="text">{props.part.text}</p>}
    >
      <Prose class="text" text={props.part.text} isGrowing={props.isGrowing} />
    </Fold>
  );
}

function secondsSince(at: string, now: number): number {
  return 1000 * Math.floor(Math.max(0, now - Date.parse(at)) / 1000);
}

function Aborted(props: { step: StepRow; isSuperseded: boolean }) {
  const { now } = useDashboard();
  return (
    <p class="note">
      {abortWords(props.step.reason)}
      <Show when={props.step.endedAt}>{(at) => <> at {clockTime(at(), now())}</>}</Show>
      <Show
        when={props.isSuperseded}
        fallback={
          <Show when={props.step.retryAt}>
            {(retryAt) => <> · next try at {clockTime(retryAt(), now())}</>}
          </Show>
        }
      >
        {" "}
        · answered again below
      </Show>
    </p>
  );
}

function abortWords(reason: string | null): string {
  if (reason === "shutdown") return "interrupted by a restart of the server";
  return reason === null ? "interrupted" : `interrupted: ${reason}`;
}

function Caret() {
  return <span class="caret" aria-hidden="true" />;
}
