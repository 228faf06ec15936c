// One WebSocket for all that a tab or a command follows: sessions by their events, lists by their rows. It comes back
// by itself for as long as it is wanted, and attaches every session again where its reader stood.
import type { Problem } from "../protocol/problem.ts";
import { CLOSE_UNAUTHORIZED } from "../protocol/close.ts";
import type { ClientFrame, ServerFrame, TopicName } from "../protocol/socket.ts";
import type { Position } from "../session/position.ts";
import {
  accept,
  attachFrame,
  attachment,
  cut,
  wantView,
  type Attachment,
  type Delivery,
  type SessionFrame,
} from "./attachment.ts";
import type { Clock } from "./clock.ts";
import * as connections from "./connection.ts";
import type { Connection } from "./connection.ts";

/** As much of a WebSocket as is used here, which browsers and Node have in common. */
export type RawSocket = {
  send(text: string): void;
  close(): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onerror: ((event: unknown) => void) | null;
};

export type SocketOptions = {
  open: () => RawSocket;
  /** Why the server does not let us in, if that is so: a failed handshake itself does not tell. */
  refusal: () => Promise<Problem | undefined>;
  clock: Clock;
  chance: () => number;
  /** Whether the device has a network at all. */
  online: () => boolean;
};

export type RowsFrame = Extract<ServerFrame, { op: "rows"; topic: "sessions" }>;
export type AskRowsFrame = Extract<ServerFrame, { op: "rows"; topic: "asks" }>;
export type ProcessRowsFrame = Extract<ServerFrame, { op: "rows"; topic: "processes" }>;

/** What a process says; or why that can't be followed. */
export type OutputFrame =
  | Extract<ServerFrame, { op: "output" }>
  | (Extract<ServerFrame, { op: "error" }> & { process: string });

export type Attached = {
  leave(): void;
  /** Asks for the view: what came does not fit together. */
  resync(): void;
};

export type Start = { after: Position; store: string };

const TOPICS: readonly TopicName[] = ["sessions", "asks", "processes"];

type OutputReader = { next: number; over: boolean; read: (frame: OutputFrame) => void };

type Reader = { attachment: Attachment; deliver: (delivery: Delivery) => void };

export class Socket {
  readonly #options: SocketOptions;
  readonly #readers = new Map<string, Reader>();
  readonly #rowReaders = {
    sessions: new Set<(frame: RowsFrame) => void>(),
    asks: new Set<(frame: AskRowsFrame) => void>(),
    processes: new Set<(frame: ProcessRowsFrame) => void>(),
  };
  readonly #outputs = new Map<string, OutputReader>();
  readonly #stateReaders = new Set<(connection: Connection) => void>();
  #connection: Connection;
  #raw: RawSocket | undefined;
  #stopTimer: () => void = () => {};

  constructor(options: SocketOptions) {
    this.#options = options;
    this.#connection = connections.begin(options.clock.now());
    this.#open();
    this.#setTimer();
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Told of every change of state; the returned function ends that. */
  onConnection(read: (connection: Connection) => void): () => void {
    this.#stateReaders.add(read);
    return () => this.#stateReaders.delete(read);
  }

  /** Without a start the reader first gets the view. A session has one reader here: share it above. */
  attach(session: string, start: Start | null, deliver: (delivery: Delivery) => void): Attached {
    if (this.#readers.has(session)) throw new Error(`${session} is attached already`);
    const reader: Reader = { attachment: attachment(session, start), deliver };
    this.#readers.set(session, reader);
    this.#send(attachFrame(reader.attachment));
    const isCurrent = () => this.#readers.get(session) === reader;
    return {
      leave: () => {
        if (!isCurrent()) return;
        this.#readers.delete(session);
        this.#send({ op: "leave", session });
      },
      resync: () => {
        if (!isCurrent()) return;
        reader.attachment = wantView(reader.attachment);
        this.#attachAgain(reader);
      },
    };
  }

  /** First all rows, then those that change. */
  watchSessions(read: (frame: RowsFrame) => void): () => void {
    return this.#watch("sessions", this.#rowReaders.sessions, read);
  }

  /** First all asks that are open, then which come and go. */
  watchAsks(read: (frame: AskRowsFrame) => void): () => void {
    return this.#watch("asks", this.#rowReaders.asks, read);
  }

  /** First all processes that run, then which come, change and go. */
  watchProcesses(read: (frame: ProcessRowsFrame) => void): () => void {
    return this.#watch("processes", this.#rowReaders.processes, read);
  }

  /** From a byte on, as it comes; after a gap it goes on where it was. A process has one reader here. */
  followOutput(process: string, after: number, read: (frame: OutputFrame) => void): () => void {
    if (this.#outputs.has(process)) throw new Error(`${process} is followed already`);
    const reader: OutputReader = { next: after, over: false, read };
    this.#outputs.set(process, reader);
    this.#send({ op: "attach", process, after });
    return () => {
      if (this.#outputs.get(process) !== reader) return;
      this.#outputs.delete(process);
      this.#send({ op: "leave", process });
    };
  }

  /** For wake, online and focus: no need to sit out the wait. */
  retryNow(): void {
    const { now } = this.#moment();
    this.#move(connections.hurried(connections.elapsed(this.#connection, this.#moment()), now));
  }

  close(): void {
    this.#readers.clear();
    this.#outputs.clear();
    for (const readers of Object.values(this.#rowReaders)) readers.clear();
    this.#move({ state: "closed" });
    this.#stateReaders.clear();
  }

  #move(next: Connection): void {
    const before = this.#connection;
    if (next === before) return;
    this.#connection = next;
    if (next.state !== "connected" && next.state !== "connecting") this.#drop();
    if (next.state === "connecting" && before.state !== "connecting") this.#open();
    if (next.state === "connected" && before.state === "connected") return; // only heard of
    this.#setTimer();
    for (const read of this.#stateReaders) read(next);
  }

  #setTimer(): void {
    this.#stopTimer();
    const ms = connections.waitMs(this.#connection, this.#options.clock.now());
    if (ms === undefined) return;
    this.#stopTimer = this.#options.clock.after(ms, () => {
      const before = this.#connection;
      this.#move(connections.elapsed(before, this.#moment()));
      // Something was heard since the timer was set, so it is not over yet.
      if (this.#connection.state === before.state) this.#setTimer();
    });
  }

  #open(): void {
    const raw = this.#options.open();
    this.#raw = raw;
    const isCurrent = () => this.#raw === raw;
    raw.onmessage = ({ data }) => {
      if (isCurrent()) this.#hear(JSON.parse(String(data)) as ServerFrame); // our own server wrote it
    };
    raw.onclose = ({ code }) => {
      if (isCurrent()) this.#lose(code);
    };
    raw.onerror = () => {}; // a close follows, and says as much
  }

  #lose(code?: number): void {
    const { state } = this.#connection;
    this.#move(connections.lost(this.#connection, this.#moment()));
    if (state === "connecting" || code === CLOSE_UNAUTHORIZED) void this.#askWhy();
  }

  async #askWhy(): Promise<void> {
    const lost = this.#connection;
    const problem = await this.#options.refusal();
    if (problem && this.#connection === lost) this.#move(connections.refused(lost, problem));
  }

  #drop(): void {
    const raw = this.#raw;
    if (!raw) return;
    this.#raw = undefined;
    raw.close();
    for (const reader of this.#readers.values()) reader.attachment = cut(reader.attachment);
  }

  #hear(frame: ServerFrame): void {
    const { now } = this.#moment();
    this.#move(connections.heard(this.#connection, now));
    switch (frame.op) {
      case "hello":
        return this.#greet(frame);
      case "rows":
        if (frame.topic === "sessions") for (const read of this.#rowReaders.sessions) read(frame);
        if (frame.topic === "asks") for (const read of this.#rowReaders.asks) read(frame);
        if (frame.topic === "processes") for (const read of this.#rowReaders.processes) read(frame);
        return;
      case "output":
        return this.#hearOutput(frame);
      case "events":
      case "caught_up":
      case "resync":
      case "closed":
        return this.#hearSession(frame);
      case "error":
        if (frame.process !== undefined)
          return this.#outputs.get(frame.process)?.read({ ...frame, process: frame.process });
        if (frame.session === undefined) return this.#lose(); // it can't do what we asked for; perhaps soon
        return this.#hearSession({ ...frame, session: frame.session });
      case "ping":
        return;
      default:
        frame satisfies never; // of a newer server; not for us
    }
  }

  #greet(hello: connections.Hello): void {
    // Whoever attaches when told of the connection speaks for itself.
    const readers = [...this.#readers.values()];
    const outputs = [...this.#outputs];
    const watched = TOPICS.filter((topic) => this.#rowReaders[topic].size > 0);
    this.#move(connections.greeted(this.#connection, hello, this.#options.clock.now()));
    for (const topic of watched) this.#send({ op: "watch", topic });
    for (const [process, { next, over }] of outputs)
      if (!over && this.#outputs.has(process)) this.#send({ op: "attach", process, after: next });
    for (const { attachment } of readers)
      if (attachment.phase === "behind" && this.#readers.get(attachment.session)?.attachment === attachment)
        this.#send(attachFrame(attachment));
  }

  #hearSession(frame: SessionFrame): void {
    const reader = this.#readers.get(frame.session);
    if (!reader || this.#connection.state !== "connected") return;
    const accepted = accept(reader.attachment, frame, this.#connection.hello);
    reader.attachment = accepted.next;
    if (accepted.again === "attach") this.#attachAgain(reader);
    if (accepted.again === "reconnect") this.#lose();
    if (accepted.deliver) reader.deliver(accepted.deliver);
  }

  #hearOutput(frame: Extract<ServerFrame, { op: "output" }>): void {
    const reader = this.#outputs.get(frame.process);
    if (!reader || frame.from !== reader.next) return; // of an attachment before this one
    reader.next = frame.next;
    reader.over = frame.over;
    reader.read(frame);
  }

  #watch<Frame>(topic: TopicName, readers: Set<(frame: Frame) => void>, read: (frame: Frame) => void) {
    readers.add(read);
    this.#send({ op: "watch", topic }); // asked again, it begins anew with the whole
    return () => void readers.delete(read);
  }

  #attachAgain({ attachment }: Reader): void {
    this.#send({ op: "leave", session: attachment.session });
    this.#send(attachFrame(attachment));
  }

  /** What can't be sent now is said by the state itself once there is a connection again. */
  #send(frame: ClientFrame): void {
    if (this.#connection.state === "connected") this.#raw?.send(JSON.stringify(frame));
  }

  #moment(): connections.Moment {
    const { clock, chance, online } = this.#options;
    return { now: clock.now(), chance: chance(), online: online() };
  }
}
