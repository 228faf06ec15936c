// One attempt of a step: prose leads, thinking is folded, tools are quiet rows.
import { createMemo, Index, Match, Show, Switch } from "solid-js";
import type { Message, Part, TextPart, ToolPart } from "../../src/session/view.ts";
import { Prose } from "../prose/prose.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { clockTime } from "../time-words.ts";
import { Tool } from "./tool.tsx";

type StepRow = Extract<Message, { kind: "step" }>;

export function Step(props: { step: StepRow }) {
  const isStreaming = () => props.step.state === "streaming";
  return (
    <div class={props.step.state}>
      <span class="unseen">{props.step.model}: </span>
      {/* By place: the fact that completes a step brings new parts, and what is on the page must not flicker for it. */}
      <Index each={props.step.parts}>
        {(part, n) => (
          <PartRow part={part()} isGrowing={isStreaming() && n === props.step.parts.length - 1} />
        )}
      </Index>
      <Show when={isStreaming() && props.step.parts.length === 0}>
        <p class="note">
          {props.step.model} is thinking
          <Caret />
        </p>
      </Show>
      <Show when={props.step.state === "aborted"}>
        <Aborted step={props.step} />
      </Show>
    </div>
  );
}

function PartRow(props: { part: Part; isGrowing: boolean }) {
  const kind = createMemo(() => props.part.kind);
  return (
    <Switch>
      <Match when={kind() === "text"}>
        <div class="text" data-part={props.part.id}>
          <Prose text={(props.part as TextPart).text} isGrowing={props.isGrowing} />
        </div>
        <Show when={(props.part as TextPart).blob}>
          <p class="note">This is how it begins; the export has all of it.</p>
        </Show>
      </Match>
      <Match when={kind() === "reasoning"}>
        <details class="reasoning" data-part={props.part.id}>
          <summary>
            {props.isGrowing ? "Thinking" : "Thought"}
            <Show when={props.isGrowing}>
              <Caret />
            </Show>
          </summary>
          <div class="text">
            <Prose text={(props.part as TextPart).text} isGrowing={props.isGrowing} />
          </div>
        </details>
      </Match>
      <Match when={kind() === "tool"}>
        <Tool part={props.part as ToolPart} />
      </Match>
    </Switch>
  );
}

function Aborted(props: { step: StepRow }) {
  const { now } = useDashboard();
  return (
    <p class="note">
      interrupted: {props.step.reason}
      <Show when={props.step.retryAt}>{(retryAt) => <> · next try at {clockTime(retryAt(), now())}</>}</Show>
    </p>
  );
}

function Caret() {
  return <span class="caret" aria-hidden="true" />;
}
