// The transcript for a screen reader: not every word as it streams, but each finished message, one at a time.
import { createSignal, onCleanup } from "solid-js";
import type { Change } from "../../src/client/live.ts";
import type { Message } from "../../src/session/view.ts";
import type { Followed } from "../state/followed.ts";

const APART_MS = 1000;
const SAID_CHARS = 400;

export function Announcer(props: { followed: Followed }) {
  const [said, setSaid] = createSignal("");
  let next = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = props.followed.onChange((change) => {
    const words = announcement(change, props.followed.session.view?.messages ?? []);
    if (words === undefined) return;
    next = words; // of several within a second the last one counts; the log holds them all
    timer ??= setTimeout(() => {
      timer = undefined;
      setSaid(next);
    }, APART_MS);
  });
  onCleanup(() => {
    stop();
    clearTimeout(timer);
  });
  return (
    <p class="unseen" role="log" aria-live="polite">
      {said()}
    </p>
  );
}

const ANNOUNCED: ReadonlySet<string> = new Set([
  "step_completed",
  "turn_ended",
  "executor_gave_up",
  "notice",
]);

export function announcement(change: Change, messages: readonly Message[]): string | undefined {
  if (change.type !== "event") return undefined;
  const { type } = change.event;
  if (type === "ask_opened") return "The agent asks something";
  if (!ANNOUNCED.has(type)) return undefined;
  const message = messages.find(({ id }) => change.touched.messages.includes(id));
  switch (message?.kind) {
    case "step": {
      const text = message.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
      return text === "" ? undefined : text.slice(0, SAID_CHARS);
    }
    case "turn_end":
      return message.outcome === "completed" ? "The turn is complete" : `The turn ${message.outcome}`;
    case "notice":
      return message.text;
    default:
      return undefined;
  }
}
