// What a call was asked and what it brought, as fits its kind: a terminal, a change of a file, another agent's answer.
import { createResource, For, Match, Show, Switch } from "solid-js";
import type { Position } from "../../src/session/position.ts";
import { PREVIEW_CHARS, type ToolPart } from "../../src/session/view.ts";
import { failureWords } from "../failure-words.ts";
import { Prose } from "../prose/prose.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { callFacts } from "./call-facts.ts";
import { Change, changeLines } from "./change.tsx";
import { Terminal, TerminalText } from "./terminal.tsx";
import { ToolOutput } from "./tool-output.tsx";
import { argumentsOf, outcomeOf, textArgument } from "./tool-words.ts";

/** Where a call stands in the log: behind the beginning of its step. */
export type Place = { session: string; after: Position };

type Kind = "command" | "change" | "delegate" | "other";

export function kindOf({ name }: ToolPart): Kind {
  if (name === "shell" || name === "search") return "command";
  if (name === "edit" || name === "write") return "change";
  return name === "delegate" ? "delegate" : "other";
}

export function ToolBody(props: { part: ToolPart; place: Place }) {
  const kind = () => kindOf(props.part);
  const whole = createWholeArgs(props);
  const args = () => {
    const found = whole();
    return found?.ok ? (found.args ?? props.part.args) : props.part.args;
  };
  const why = () => {
    const found = whole();
    return found?.ok === false ? found.why : undefined;
  };
  const plain = (text: () => string) => (
    <pre class="output" tabindex="0" aria-label="Output">
      <TerminalText text={text()} />
    </pre>
  );
  return (
    <>
      <Show when={why()}>
        {(words) => (
          <p class="note failure" role="alert">
            Only how it begins: {words()}
          </p>
        )}
      </Show>
      <Switch>
        <Match when={kind() === "command"}>
          <Show when={props.part.name === "search"}>
            <Arguments args={args()} />
          </Show>
          <Terminal part={props.part} args={args()} place={props.place} />
        </Match>
        <Match when={kind() === "change"}>
          <Change lines={changeLines(props.part.name, args())} />
          <Show when={outcomeOf(props.part).kind !== "ok"}>
            <ToolOutput part={props.part} place={props.place} shown={plain} />
          </Show>
        </Match>
        <Match when={kind() === "delegate"}>
          <Prose class="said" text={textArgument(args(), "prompt")} isGrowing={false} />
          <ToolOutput
            part={props.part}
            place={props.place}
            shown={(text) => <Prose class="said" text={text()} isGrowing={false} />}
          />
        </Match>
        <Match when={kind() === "other"}>
          <Show when={props.part.name !== "read"}>
            <Arguments args={args()} />
          </Show>
          <ToolOutput part={props.part} place={props.place} shown={plain} />
        </Match>
      </Switch>
    </>
  );
}

function Arguments(props: { args: unknown }) {
  return (
    <For each={argumentsOf(props.args)}>
      {([name, value]) => (
        <div class="argument">
          <span>{name}</span>
          <pre>{value}</pre>
        </div>
      )}
    </For>
  );
}

/** A finished call keeps only how its long arguments begin; the log has them whole. */
function createWholeArgs(props: { part: ToolPart; place: Place }): () => WholeArgs | undefined {
  const { client } = useDashboard();
  const [whole] = createResource(
    () => isCut(props.part) && props.part.call,
    async (call): Promise<WholeArgs> => {
      try {
        return { ok: true, args: (await callFacts(client, { ...props.place, call })).args };
      } catch (error) {
        return { ok: false, why: failureWords(error) };
      }
    },
  );
  return () => whole.latest;
}

type WholeArgs = { ok: true; args: unknown } | { ok: false; why: string };

export function isCut({ state, args }: ToolPart): boolean {
  if (state !== "finished" || args === null || typeof args !== "object") return false;
  return Object.values(args).some((value) => typeof value === "string" && value.length >= PREVIEW_CHARS - 1);
}
