// A command and what it said, as it would stand in a terminal.
import { createMemo, For, Show } from "solid-js";
import type { ToolPart } from "../../src/session/view.ts";
import { visible } from "../visible.ts";
import { terminalRuns } from "./terminal-text.ts";
import { ToolOutput } from "./tool-output.tsx";
import { textArgument } from "./tool-words.ts";
import type { Place } from "./tool-body.tsx";

export function Terminal(props: { part: ToolPart; args: unknown; place: Place }) {
  const command = () => textArgument(props.args, "command");
  return (
    <div class="terminal">
      <Show when={command()}>
        <pre class="command" tabindex="0" aria-label="Command">
          <span class="prompt" aria-hidden="true">
            ${" "}
          </span>
          {visible(command())}
        </pre>
        <Show when={settingsWords(props.args)}>{(words) => <p class="note">{words()}</p>}</Show>
      </Show>
      <ToolOutput
        part={props.part}
        place={props.place}
        shown={(text) => (
          <pre class="output" tabindex="0" aria-label="Output">
            <TerminalText text={text()} />
          </pre>
        )}
      />
    </div>
  );
}

export function TerminalText(props: { text: string }) {
  const runs = createMemo(() => terminalRuns(props.text));
  return (
    <For each={runs()}>
      {({ text, style }) => (style === "" ? text : <span class={classesOf(style)}>{text}</span>)}
    </For>
  );
}

function classesOf(style: string): string {
  return style.replaceAll(/\S+/g, "a-$&");
}

function settingsWords(args: unknown): string {
  if (args === null || typeof args !== "object") return "";
  const { cwd, background, timeoutSeconds } = args as Record<string, unknown>;
  return [
    typeof cwd === "string" ? `in ${visible(cwd)}` : "",
    background === true ? "in the background" : "",
    typeof timeoutSeconds === "number" ? `for at most ${timeoutSeconds} s` : "",
  ]
    .filter((words) => words !== "")
    .join(" · ");
}
