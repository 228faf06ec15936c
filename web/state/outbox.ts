// What a person has typed and sent, until the log shows it. It belongs to the session and not to the composer, so that
// looking at another session meanwhile loses neither the text nor the news of its failure.
import { createMutable } from "solid-js/store";
import type { NewInput } from "../../src/client/commands.ts";
import { ProblemError } from "../../src/client/errors.ts";
import type { Attachment } from "../../src/session/event.ts";
import type { Position } from "../../src/session/position.ts";
import { failureWords } from "../failure-words.ts";
import { createAttachedFiles, type AttachedFiles, type Upload } from "./attached-files.ts";
import {
  departures,
  forgetDeparture,
  keepDeparture,
  RESUMABLE_MS,
  type Asked,
  type Departure,
  type Way,
} from "./departures.ts";
import {
  hearOtherTabs,
  keepItem,
  keepUnsent,
  keepUnsentBegun,
  keepUnsentFiles,
  unsentBegun,
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
  /** How far the session had come when its first word was typed: what was asked later it can't have been written for. */
  readonly begun: Position | null;
  /** What was open then and not being answered from here, oldest first; null when this tab was not there to see. */
  readonly asked: readonly Asked[] | null;
  /** Takes it as if it were begun only now. */
  beginAnew(): void;
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
  /** Sends this for all that was typed, which is put back if it fails; `answers` names the question that it is for. */
  send(text: string, way: Way, answers?: string | null): void;
  /** Once more what failed, under the same key, so that it arrives once; false when it was changed since. */
  retry(): boolean;
};

export type Shown = { text: string; way: Way; answers: string | null; files: number };
export type Sent = {
  key: string;
  text: string;
  way: Way;
  answers: string | null;
  attachments: Attachment[];
};

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
  /** How far the page has come with the session. */
  position?: () => Position | null;
  /** What is open there. */
  asks?: () => readonly Asked[];
  now?: () => number;
};

/** As the server takes it. */
export function newInput({ text, way, answers, attachments }: Sent): NewInput {
  return {
    kind: way === "steer" ? "steer" : "prompt",
    text,
    answers,
    ...(way === "now" && { delivery: "now" }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ file }) => ({ file })) }),
  };
}

type Sending = Departure & { position: Position | null; hasCome: (() => boolean) | undefined };
type Failed = { words: string; departure: Departure; isFinal: boolean };

const WAY = "holdfast:way:";

export function createOutbox(options: OutboxOptions): Outbox {
  const { session, newKey, now = Date.now } = options;
  const files = createAttachedFiles(
    { kept: () => unsentFiles(session), keep: (now) => keepUnsentFiles(session, now) },
    options.upload,
  );
  const state = createMutable({
    text: unsentText(session),
    begun: unsentBegun(session),
    asked: null as readonly Asked[] | null,
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
    state.begun = unsentBegun(session);
    state.asked = null;
    state.isFromOtherTab = text !== "";
  });

  return {
    get text() {
      return state.text;
    },
    setText(text) {
      if (isBlank(text)) state.begun = state.asked = null;
      else if (isBlank(state.text)) begin();
      state.text = text;
      state.isFromOtherTab = false;
      keep();
    },
    get begun() {
      return state.begun;
    },
    get asked() {
      return state.asked;
    },
    beginAnew() {
      begin();
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
        .map(({ text, way, answers, files: { length } }) => ({ text, way, answers, files: length }));
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
    send: (text, way, answers = null) => depart(text, way, answers, newKey()),
    retry() {
      const { departure, isFinal } = state.failed ?? {};
      if (isFinal || departure?.typed !== state.text || !sameFiles(departure.files, files.list)) return false;
      const { text, way, answers, key } = departure;
      depart(text, way, answers, key);
      return true;
    },
  };

  function depart(text: string, way: Way, answers: string | null, key: string): void {
    if (text === "") return;
    const taken = files.take();
    const { text: typed, begun, asked } = state;
    const kept = taken.kept();
    const departure: Departure = { key, typed, text, way, answers, begun, asked, files: kept, at: now() };
    keepDeparture(session, departure);
    state.text = "";
    state.begun = state.asked = null;
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
    const { key, text, way, answers } = departure;
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
      const position = await options.send({ key, text, way, answers, attachments });
      if (position === null) drop();
      else if (sending) sending.position = position;
    } catch (error) {
      drop();
      giveBack(leaving, sendFailureWords(error), restore, isAskClosed(error));
    } finally {
      forgetDeparture(session, key);
    }
  }

  /** In front of what was typed since. `isFinal`: the same once more would fail the same. */
  function giveBack(departure: Departure, words: string, restoreFiles: () => void, isFinal = false): void {
    const { typed, begun, asked } = departure;
    state.text = isBlank(state.text) ? typed : `${typed}\n\n${state.text}`;
    state.begun = begun;
    state.asked = asked;
    state.failed = { words, departure, isFinal };
    restoreFiles();
    keep();
  }

  function keep(): void {
    keepUnsentBegun(session, state.begun); // first: other tabs hear of the text
    state.isKept = keepUnsent(session, state.text);
  }

  function begin(): void {
    const answered = state.sending.map(({ answers }) => answers);
    state.begun = options.position?.() ?? null;
    state.asked = (options.asks?.() ?? [])
      .filter(({ ask }) => !answered.includes(ask))
      .map(({ ask, kind }) => ({ ask, kind }));
  }

  function isOnItsWay({ position, hasCome }: Sending): boolean {
    return position === null ? !hasCome?.() : !options.hasArrived(position);
  }
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The question that it was for was closed meanwhile. */
function isAskClosed(error: unknown): boolean {
  return error instanceof ProblemError && (error.code === "answered" || error.code === "ask_closed");
}

function sendFailureWords(error: unknown): string {
  return isAskClosed(error) ? "the question is no longer open." : failureWords(error);
}

function sameFiles(sent: readonly KeptFile[], now: AttachedFiles["list"]): boolean {
  const ids = sent.map((file) => ("file" in file ? file.file : ""));
  return ids.length === now.length && now.every(({ file }, n) => file !== null && file.file === ids[n]);
}
