// The server's side of the socket in memory, for one session, with every fault that a network has: frames wait until a
// test lets them through, and may be lost, doubled or cut off on the way.
import type { RawSocket } from "../src/client/socket.ts";
import type { Missed, ServerFrame, SessionFrame } from "../src/protocol/socket.ts";
import { apply } from "../src/session/apply.ts";
import { ownerOf, sweptBy } from "../src/session/draft.ts";
import type { AnyEvent, NewEvent } from "../src/session/event.ts";
import { START, type Position } from "../src/session/position.ts";
import { tallyOf } from "../src/session/row.ts";
import { emptyView, type View } from "../src/session/view.ts";

const FRAME_EVENTS = 3;

export class SimulatedServer {
  readonly session = "ses_1";
  readonly opened: RawSocket[] = [];
  #log: readonly AnyEvent[];
  #written = 0;
  #sweptTo = 0;
  #sent: Position | undefined;
  #raw: RawSocket | undefined;
  #frames: ServerFrame[] = [];

  constructor(log: readonly AnyEvent[]) {
    this.#log = log;
  }

  /** What the client calls to connect. */
  open(): RawSocket {
    const raw: RawSocket = {
      send: (text) => raw === this.#raw && this.#take(JSON.parse(text) as SessionFrame),
      close: () => raw === this.#raw && this.#disconnect(),
      onmessage: null,
      onclose: null,
      onerror: null,
    };
    this.opened.push(raw);
    this.#disconnect();
    this.#raw = raw;
    this.#frames = [{ op: "hello", store: "sto_1", version: "1", person: "owner", heartbeatMs: 1000 }];
    return raw;
  }

  get frames(): number {
    return this.#frames.length;
  }

  append(count: number): void {
    this.#written = Math.min(this.#log.length, this.#written + count);
    this.#sendNew();
  }

  /** Drafts whose fact is written are no longer in what is read from now on. */
  sweep(): void {
    this.#sweptTo = this.#written;
  }

  /** The queue of a slow reader: dropped, and a view in its place. */
  overflow(): void {
    if (this.#sent === undefined) return;
    this.#frames = this.#frames.filter(({ op }) => op === "hello");
    this.#resync("overflow");
    this.#caughtUp(this.#sent);
  }

  deliver(count: number): void {
    for (let i = 0; i < count && this.#frames.length > 0; i++) this.#arrive(this.#frames.shift());
  }

  deliverTwice(): void {
    const frame = this.#frames.shift();
    this.#arrive(frame);
    this.#arrive(frame);
  }

  /** A frame with a fact in it: the next frame shows that one is missing. */
  lose(): void {
    const at = this.#frames.findIndex(
      (frame) => frame.op === "events" && frame.events.some(({ type }) => type !== "draft"),
    );
    if (at >= 0) this.#frames.splice(at, 1);
  }

  cut(): void {
    const raw = this.#raw;
    this.#disconnect();
    raw?.onclose?.({ code: 1006 });
  }

  view(): View {
    return this.#fold(this.#readable(START));
  }

  #disconnect(): void {
    this.#raw = undefined;
    this.#sent = undefined;
    this.#frames = [];
  }

  #arrive(frame: ServerFrame | undefined): void {
    if (frame) this.#raw?.onmessage?.({ data: JSON.stringify(frame) });
  }

  #take(frame: SessionFrame): void {
    if (frame.op === "leave") this.#sent = undefined;
    if (frame.op !== "attach") return;
    if (frame.after === undefined) {
      this.#resync("first");
      return this.#caughtUp(this.#end());
    }
    this.#sent = frame.after;
    this.#sendNew();
    this.#caughtUp(frame.after);
  }

  #sendNew(): void {
    if (this.#sent === undefined) return;
    const events = this.#readable(this.#sent);
    for (let i = 0; i < events.length; i += FRAME_EVENTS)
      this.#frames.push({ op: "events", session: this.session, events: events.slice(i, i + FRAME_EVENTS) });
    this.#sent = events.at(-1)?.position ?? this.#sent;
  }

  #resync(reason: "first" | "overflow"): void {
    const view = this.view();
    this.#sent = view.position;
    this.#frames.push({ op: "resync", session: this.session, view, reason });
  }

  #caughtUp(after: Position): void {
    const written = this.#log.slice(0, this.#written);
    const { messages, tools } = countMissed(written.filter(({ position }) => position > after));
    const missed = { messages, tools, asks: countMissed(written).asks };
    this.#frames.push({
      op: "caught_up",
      session: this.session,
      position: this.#end(),
      missed,
      since: after,
    });
  }

  #end(): Position {
    return this.#log[this.#written - 1]?.position ?? START;
  }

  #readable(after: Position): AnyEvent[] {
    const swept = this.#log.slice(0, this.#sweptTo).flatMap((event) => sweptBy(event as NewEvent) ?? []);
    return this.#log
      .slice(0, this.#written)
      .filter((event) => event.position > after)
      .filter(
        (event) => event.type !== "draft" || !swept.includes(ownerOf((event.data as { part: string }).part)),
      );
  }

  #fold(events: readonly AnyEvent[]): View {
    const view = emptyView();
    for (const event of events) apply(view, structuredClone(event));
    return view;
  }
}

/** As a store counts: its own inputs are the owner's, who reads here, so they are not news. */
export function countMissed(events: readonly AnyEvent[]): Missed {
  const open = new Set<string>();
  const missed = { messages: 0, tools: 0, asks: 0 };
  for (const event of events) {
    const counted = tallyOf(event as NewEvent);
    if (counted === "message" && event.type !== "input_admitted") missed.messages += 1;
    if (counted === "tool") missed.tools += 1;
    if (event.type === "ask_opened") open.add((event.data as { ask: string }).ask);
    if (event.type === "ask_answered" || event.type === "ask_closed")
      open.delete((event.data as { ask: string }).ask);
  }
  return { ...missed, asks: open.size };
}
