// One session, followed and printed, and its successor once it has one: whoever goes back, here or elsewhere, this goes
// with them.
import type { Change, LiveSession } from "../../client/live.ts";
import { liveSession } from "../../client/live.ts";
import type { Socket } from "../../client/socket.ts";
import { ProblemError } from "../../client/errors.ts";
import { problem } from "../../protocol/problem.ts";
import type { Message, View } from "../../session/view.ts";
import type { Transcript } from "../transcript/transcript.ts";

/** Of a session that is opened, so many messages are shown; the rest is in its export. */
const SHOWN_AT_FIRST = 8;

export type Heard = {
  /** The view has changed. */
  changed: (change: Change) => void;
  failed: (error: Error) => void;
};

export class Conversation {
  readonly #socket: Socket;
  readonly #newTranscript: () => Transcript;
  readonly #heard: Heard;
  #session: string | undefined;
  #live: LiveSession | undefined;
  #transcript: Transcript | undefined;

  constructor(socket: Socket, newTranscript: () => Transcript, heard: Heard) {
    this.#socket = socket;
    this.#newTranscript = newTranscript;
    this.#heard = heard;
  }

  get session(): string | undefined {
    return this.#session;
  }

  get view(): View | null {
    return this.#live?.view ?? null;
  }

  /** One that was just made by whoever follows it: there is nothing to say about it. */
  begin(session: string): void {
    this.follow(session, [], false);
  }

  /** `known` is what was printed of it already, as a part of the session that it continues. */
  follow(session: string, known: readonly Message[] = [], isNews = true): void {
    this.leave();
    const transcript = this.#newTranscript();
    let isFirst = true;
    this.#session = session;
    this.#transcript = transcript;
    const isCurrent = () => this.#transcript === transcript;
    this.#live = liveSession(
      null,
      (deliver) =>
        this.#socket.attach(session, null, (delivery) => {
          if (!isCurrent()) return;
          if (delivery.type === "refused")
            return this.#heard.failed(new ProblemError(problem(delivery.code, delivery.detail)));
          deliver(delivery);
        }),
      (change, view) => {
        if (change.type === "event") transcript.follow(change.event, view, change.touched);
        if (change.type === "resync") {
          if (isNews && isFirst && known.length === 0 && view.messages.length > 0)
            transcript.head(session, view.meta);
          for (const message of view.messages) if (isCopy(message, known)) transcript.know(message);
          transcript.show(view, isFirst ? SHOWN_AT_FIRST : undefined);
          isFirst = false;
        }
        this.#heard.changed(change);
        if (change.type === "closed" && view.ended?.successor) this.#goOn(view, view.ended.successor);
      },
    );
  }

  /** Whatever else is printed begins a line. */
  end(): void {
    this.#transcript?.end();
  }

  note(text: string): void {
    this.#transcript?.note(text);
  }

  /** Follows nothing any more. */
  forget(): void {
    this.leave();
    this.#session = undefined;
  }

  leave(): void {
    this.#live?.leave();
    this.#transcript?.end();
    this.#live = undefined;
    this.#transcript = undefined;
  }

  #goOn(view: View, successor: string): void {
    this.note(`── continued in ${successor}`);
    this.follow(successor, view.messages);
  }
}

/** Copied facts keep place and time; what is done anew has another time, though perhaps the same place. */
function isCopy({ id, position, at }: Message, known: readonly Message[]): boolean {
  return known.some((other) => other.id === id && other.position === position && other.at === at);
}
