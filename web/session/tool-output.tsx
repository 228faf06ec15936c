// What a call has brought: as much as the view has of it, and the whole from where that lies.
import { Show, type JSX } from "solid-js";
import type { ToolPart } from "../../src/session/view.ts";
import { useDashboard } from "../state/dashboard.ts";
import { callFacts } from "./call-facts.ts";
import { processSource, textSource, type OutputSource } from "./output-pages.ts";
import { sizeWords, WholeOutput } from "./whole-output.tsx";
import type { Place } from "./tool-body.tsx";

/** A command's result has only how its output begins and ends. */
const LEFT_OUT = /\[holdfast: \d+ of \d+ bytes are left out here/;

export function ToolOutput(props: {
  part: ToolPart;
  place: Place;
  shown: (text: () => string) => JSX.Element;
}) {
  const { client } = useDashboard();
  const isOver = () => props.part.state === "finished";
  const text = () => (isOver() ? props.part.result : props.part.state === "started" ? props.part.draft : "");
  const beginning = () => <Show when={text()}>{(some) => props.shown(some)}</Show>;
  const missing = () => missingWords(props.part);

  function source(): OutputSource {
    const { process, blob, call } = props.part;
    if (process !== null) return processSource(client, process);
    if (blob !== null) return textSource(async () => (await client.blob(blob)).text());
    return textSource(async () => {
      const { result } = await callFacts(client, { ...props.place, call });
      return result ?? props.part.result;
    });
  }

  return (
    <Show when={missing()} fallback={beginning()}>
      {(words) => (
        <WholeOutput
          name={`${props.place.session} ${props.part.id} ${isOver()}`}
          file={`${props.part.name}-${props.part.call}.txt`}
          source={source}
          shown={props.shown}
          beginning={beginning()}
          missing={words()}
        />
      )}
    </Show>
  );
}

/** Empty when the row has all of it. */
function missingWords({ state, process, draft, draftChars, result, resultChars, args }: ToolPart): string {
  if (state === "started")
    return process !== null && draftChars > draft.length ? "The last of it so far" : "";
  if (state !== "finished") return "";
  if (process !== null && isBackground(args)) return "What it says is kept apart";
  if (process !== null && LEFT_OUT.test(result)) return "Shortened";
  if (resultChars > result.length)
    return `The first ${result.length.toLocaleString("en")} characters of ${sizeWords(resultChars)}`;
  return "";
}

function isBackground(args: unknown): boolean {
  return args !== null && typeof args === "object" && "background" in args && args.background === true;
}
