// What a person has typed and sent, until the log shows it. It belongs to the session and not to the composer, so that
// looking at another session meanwhile loses neither the text nor the news of its failure.
import { createMutable } from "solid-js/store";
import type { NewInput } from "../../src/client/commands.ts";
import type { Attachment } from "../../src/session/event.ts";
import type { Position } from "../../src/session/position.ts";
import { failureWords } from "../failure-words.ts";
import { createAttachedFiles, type AttachedFiles, type Upload } from "./attached-files.ts";
import {
  departures,
  forgetDeparture,
  keepDeparture,
  RESUMABLE_MS,
  type Departure,
  type Way,
} from "./departures.ts";
import {
  hearOtherTabs,
  keepItem,
  keepUnsent,
  keepUnsentFiles,
  unsentFiles,
  unsentText,
  type KeptFile,
} from "./unsent.ts";

export type { Way };
/** What the choice beside the composer offers; `now` is asked for each time. */
export type UsualWay = Exclude<Way, "now">;

export type Outbox = {
  readonly text: string;
  setText(text: string): void;
  readonly files: AttachedFiles;
  /** What Enter does while a turn runs; remembered for the session. */
  readonly way: UsualWay;
  setWay(way: UsualWay): void;
  /** Sent, but not to be seen in the log yet. */
  readonly sending: readonly Shown[];
  readonly failure: string | null;
  /** Another tab has typed what stands here. */
  readonly isFromOtherTab: boolean;
  /** False when this browser has no room to keep what is typed. */
  readonly isKept: boolean;
  /** Sends this for all that was typed, which is put back if it fails. */
  send(text: string, way: Way): void;
  /** Once more what failed, under the same key, so that it arrives once; false when it was changed since. */
  retry(): boolean;
};

export type Shown = { text: string; way: Way; files: number };
export type Sent = { key: string; text: string; way: Way; attachments: Attachment[] };

export type OutboxOptions = {
  session: string;
  /** Resolves with where the text now stands in the log. */
  send: (sent: Sent) => Promise<Position | null>;
  /** Whether that is on the page. */
  hasArrived: (position: Position) => boolean;
  /** Called as this is sent: whether such an input has come to the page since, which may be before the answer is here. */
  watchFor?: (text: string) => () => boolean;
  upload: Upload;
  newKey: () => string;
  now?: () => number;
};

/** As the server takes it. */
export function newInput({ text, way, attachments }: Sent): NewInput {
  return {
    kind: way === "steer" ? "steer" : "prompt",
    text,
    ...(way === "now" && { delivery: "now" }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ file }) => ({ file })) }),
  };
}

type Sending = Departure & { position: Position | null; hasCome: (() => boolean) | undefined };
type Failed = { words: string; departure: Departure };

const WAY = "holdfast:way:";

export function createOutbox(options: OutboxOptions): Outbox {
  const { session, newKey, now = Date.now } = options;
  const files = createAttachedFiles(
    { kept: () => unsentFiles(session), keep: (now) => keepUnsentFiles(session, now) },
    options.upload,
  );
  const state = createMutable({
    text: unsentText(session),
    way: (localStorage.getItem(WAY + session) === "steer" ? "steer" : "queue") as UsualWay,
    sending: [] as Sending[],
    failed: null as Failed | null,
    isFromOtherTab: false,
    isKept: true,
  });
  // One after the other, or a retry could turn their order round.
  let last = Promise.resolve();

  for (const left of departures(session)) resume(left);
  hearOtherTabs(session, (before, text) => {
    if (state.text !== before) return; // typed here since: ours is the later
    state.text = text;
    state.isFromOtherTab = text !== "";
  });

  return {
    get text() {
      return state.text;
    },
    setText(text) {
      state.text = text;
      state.isFromOtherTab = false;
      keep();
    },
    files,
    get way() {
      return state.way;
    },
    setWay(way) {
      state.way = way;
      keepItem(WAY + session, way === "queue" ? "" : way);
    },
    get sending() {
      return state.sending
        .filter(isOnItsWay)
        .map(({ text, way, files: { length } }) => ({ text, way, files: length }));
    },
    get failure() {
      return state.failed?.words ?? null;
    },
    get isFromOtherTab() {
      return state.isFromOtherTab;
    },
    get isKept() {
      return state.isKept;
    },
    send: (text, way) => depart(text, way, newKey()),
    retry() {
      const { departure } = state.failed ?? {};
      if (departure?.typed !== state.text || !sameFiles(departure.files, files.list)) return false;
      depart(departure.text, departure.way, departure.key);
      return true;
    },
  };

  function depart(text: string, way: Way, key: string): void {
    if (text === "") return;
    const taken = files.take();
    const departure: Departure = { key, typed: state.text, text, way, files: taken.kept(), at: now() };
    keepDeparture(session, departure);
    state.text = "";
    state.failed = null;
    state.isFromOtherTab = false;
    keep();
    enqueue(departure, taken.settled, () => taken.putBack());
  }

  /** Of a page that was closed meanwhile. */
  function resume(departure: Departure): void {
    const { files: kept, at } = departure;
    const up = kept.filter((file) => "file" in file);
    const restore = () => files.putBack(kept);
    if (up.length === kept.length && now() - at < RESUMABLE_MS)
      return enqueue(departure, Promise.resolve(up), restore);
    forgetDeparture(session, departure.key);
    giveBack(departure, "the page was closed before all of it was sent.", restore);
  }

  function enqueue(departure: Departure, settled: Promise<Attachment[] | null>, restore: () => void): void {
    state.sending = [
      ...state.sending.filter(isOnItsWay),
      { ...departure, position: null, hasCome: undefined },
    ];
    last = last.then(() => carryOut(departure, settled, restore));
  }

  async function carryOut(
    departure: Departure,
    settled: Promise<Attachment[] | null>,
    restore: () => void,
  ): Promise<void> {
    const { key, text, way } = departure;
    let leaving = departure;
    const sending = state.sending.find((each) => each.key === key);
    const drop = () => (state.sending = state.sending.filter((each) => each !== sending));
    try {
      const attachments = await settled;
      if (attachments === null) {
        drop();
        return giveBack(departure, "a file is not on the server.", restore);
      }
      leaving = { ...departure, files: attachments };
      keepDeparture(session, leaving);
      if (sending) sending.hasCome = options.watchFor?.(text);
      const position = await options.send({ key, text, way, attachments });
      if (position === null) drop();
      else if (sending) sending.position = position;
    } catch (error) {
      drop();
      giveBack(leaving, failureWords(error), restore);
    } finally {
      forgetDeparture(session, key);
    }
  }

  /** In front of what was typed since. */
  function giveBack(departure: Departure, words: string, restoreFiles: () => void): void {
    const { typed } = departure;
    state.text = state.text.trim() === "" ? typed : `${typed}\n\n${state.text}`;
    state.failed = { words, departure };
    restoreFiles();
    keep();
  }

  function keep(): void {
    state.isKept = keepUnsent(session, state.text);
  }

  function isOnItsWay({ position, hasCome }: Sending): boolean {
    return position === null ? !hasCome?.() : !options.hasArrived(position);
  }
}

function sameFiles(sent: readonly KeptFile[], now: AttachedFiles["list"]): boolean {
  const ids = sent.map((file) => ("file" in file ? file.file : ""));
  return ids.length === now.length && now.every(({ file }, n) => file !== null && file.file === ids[n]);
}
