// All of an output: a page at a time, or to keep.
import { createMemo, Show, type JSX } from "solid-js";
import { createAttempt } from "../attempt.ts";
import { saveAs } from "../download.ts";
import { outputPages, type OutputSource } from "./output-pages.ts";

export function WholeOutput(props: {
  /** Unique within the tab. */
  name: string;
  file: string;
  source: () => OutputSource;
  /** How the output looks, given its text. */
  shown: (text: () => string) => JSX.Element;
  /** What stands here until someone asks for all of it. */
  beginning: JSX.Element;
  /** In words, what is missing of it. */
  missing: string;
}) {
  const pages = createMemo(() => outputPages(props.name, props.source));
  const download = createAttempt();
  const isAsked = () => pages().text() !== "" || (pages().rest() === "none" && !pages().attempt.failure());
  const save = () => download.run(async () => saveAs(props.file, await pages().source.whole()));
  return (
    <>
      <Show when={isAsked()} fallback={props.beginning}>
        {props.shown(() => pages().text())}
      </Show>
      <p class="more">
        <span class="note">{isAsked() ? shownWords(pages().rest(), pages().bytes()) : props.missing}</span>
        <Show when={pages().rest() === "more"}>
          <button type="button" disabled={pages().attempt.isBusy()} onClick={() => void pages().more()}>
            {isAsked() ? "Show more" : "Show all"}
          </button>
        </Show>
        <button type="button" disabled={download.isBusy()} onClick={() => void save()}>
          Download
        </button>
        <Show when={pages().attempt.failure() ?? download.failure()}>
          {(failure) => (
            <span class="failure" role="alert">
              {failure()}
            </span>
          )}
        </Show>
      </p>
    </>
  );
}

function shownWords(rest: "more" | "too_much" | "none", bytes: number): string {
  const all = sizeWords(bytes);
  if (rest === "none") return `All of it, ${all}`;
  return rest === "more" ? `There is more, ${all} so far` : `${all}: too much to show here`;
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
