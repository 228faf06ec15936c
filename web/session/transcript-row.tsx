// One row of the transcript: a message, or the line where someone left off.
import { onMount } from "solid-js";
import type { Message } from "../../src/session/view.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { OpenSession } from "../state/open-session.ts";
import { clockTime } from "../time-words.ts";
import type { Entry } from "./entries.ts";
import { MessageRow } from "./message.tsx";

/** Before it has been measured. */
export function estimatePx(entry: Entry | undefined): number {
  return entry?.message ? ESTIMATES_PX[entry.message.kind] : LINE_PX;
}

const LINE_PX = 20;
const ESTIMATES_PX: Record<Message["kind"], number> = {
  input: 58,
  step: 120,
  turn_end: LINE_PX,
  divider: LINE_PX,
  notice: 22,
  task: 42,
};

type RowProps = {
  /** What it is does not change, so this is asked once. */
  entry: Entry | undefined;
  session: OpenSession;
  index: number;
  /** The id of the message that the address names. */
  shown: string | undefined;
  /** It is in the document now. */
  mounted: (row: HTMLElement) => void;
};

export function TranscriptRow(props: RowProps) {
  let row!: HTMLLIElement;
  const { entry } = props;
  if (entry === undefined) return undefined;
  onMount(() => props.mounted(row));
  if (!entry.message) return <LeftOff ref={(made) => (row = made)} index={props.index} at={entry.seenAt} />;
  const message = props.session.live(entry.message);
  return (
    <MessageRow
      ref={(made) => (row = made)}
      index={props.index}
      message={message}
      isShown={props.shown === message.id}
    />
  );
}

function LeftOff(props: { ref: (row: HTMLLIElement) => void; index: number; at: string }) {
  const { now } = useDashboard();
  return (
    <li ref={props.ref} class="left-off" data-index={props.index}>
      <p class="line">you were here · {clockTime(props.at, now())}</p>
    </li>
  );
}
