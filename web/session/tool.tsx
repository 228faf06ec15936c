// A tool call as a quiet row that opens to what was asked and what came back.
import { createMemo, Show } from "solid-js";
import type { Position } from "../../src/session/position.ts";
import type { ToolPart } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { duration } from "../time-words.ts";
import { ChangeCount, changeLines } from "./change.tsx";
import { Fold } from "./fold.tsx";
import { useSession } from "./session-context.ts";
import { createSurvival } from "./survival.ts";
import { TerminalText } from "./terminal.tsx";
import { isCut, kindOf, ToolBody } from "./tool-body.tsx";
import { nameOf, outcomeOf, purposeOf, tailOf } from "./tool-words.ts";

const TAIL_LINES = 3;

export function Tool(props: { part: ToolPart; after: Position }) {
  const { id: session } = useSession();
  const outcome = createMemo(() => outcomeOf(props.part));
  /** What it says while it runs. */
  const draft = () => (props.part.state === "started" ? props.part.draft : "");
  return (
    <div class="tool" data-part={props.part.id} data-outcome={outcome().kind} data-kind={kindOf(props.part)}>
      <Fold name={props.part.id} summary={<Summary part={props.part} />}>
        <ToolBody part={props.part} place={{ session, after: props.after }} />
      </Fold>
      <Show when={draft()}>
        {(said) => (
          <pre class="tail">
            <TerminalText text={tailOf(said(), TAIL_LINES)} />
          </pre>
        )}
      </Show>
      <Show when={props.part.delegate}>
        {(child) => (
          <Link class="delegate" href={sessionPath(child())}>
            Open its session
          </Link>
        )}
      </Show>
    </div>
  );
}

function Summary(props: { part: ToolPart }) {
  const { heard } = useDashboard();
  const outcome = createMemo(() => outcomeOf(props.part));
  const survived = createSurvival(() => props.part);
  const time = createMemo(() => {
    const { startedAt, endedAt } = props.part;
    if (startedAt === null) return "";
    if (endedAt !== null) return timeWords(Date.parse(endedAt) - Date.parse(startedAt));
    return duration(1000 * Math.floor(Math.max(0, heard() - Date.parse(startedAt)) / 1000));
  });
  const words = () => [outcome().words, survived() ? "survived a restart" : ""].filter(Boolean).join(" · ");
  return (
    <>
      <span class="lead" aria-hidden="true" />
      <span class="what">
        <b>{nameOf(props.part)}</b> <span class="purpose">{purposeOf(props.part)}</span>
        <Show when={kindOf(props.part) === "change" && !isCut(props.part)}>
          <ChangeCount lines={changeLines(props.part.name, props.part.args)} />
        </Show>
      </span>
      <span class="outcome" aria-hidden="true">
        {words()}
      </span>
      <span class="unseen">{[outcome().spoken, survived() ? "survived a restart" : ""].join(" ")}</span>
      <time>{time()}</time>
    </>
  );
}

/** What took no time needs no words for it. */
function timeWords(ms: number): string {
  return ms < 100 ? "" : duration(ms);
}
