// What a socket still has to send, bounded. Frames are whole buffers that many sockets share, written past ws.send (which
// would make each its own copy); all of a tick leave in one write. More than the bound means that the reader does not read:
// from then on everything is dropped until it has taken what it was sent, and then it starts over.
import type { Socket } from "node:net";

/** A paced frame goes out when less than this is waiting. */
const PACED_BYTES = 256 * 1024;

export type OutboxEvents = {
  overflowed(): void;
  /** All that was queued has gone out after an overflow. */
  drained(): void;
  /** It has not, for too long. */
  stuck(): void;
};

export class Outbox {
  readonly #socket: Socket;
  readonly #limits: { queueBytes: number; stuckMs: number };
  readonly #events: OutboxEvents;
  #isClosed = false;
  #isCorked = false;
  #overflow: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  readonly #waiting = new Set<() => void>();

  constructor(socket: Socket, limits: { queueBytes: number; stuckMs: number }, events: OutboxEvents) {
    this.#socket = socket;
    this.#limits = limits;
    this.#events = events;
    socket.on("drain", () => this.#drained());
    socket.on("close", () => {
      clearTimeout(this.#overflow);
      this.#wake();
    });
  }

  get isOverflowed(): boolean {
    return this.#overflow !== undefined;
  }

  /** Nothing may follow the goodbye, whatever is still being made ready. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** False when it was dropped. */
  send(frame: Buffer): boolean {
    if (!this.#isOpen()) return false;
    const queued = this.#socket.writableLength;
    if (queued > 0 && queued + frame.length > this.#limits.queueBytes) {
      this.#overflow = setTimeout(() => this.#events.stuck(), this.#limits.stuckMs);
      this.#events.overflowed();
      this.#wake();
      return false;
    }
    this.#write(frame);
    return true;
  }

  /**
   * For what can wait: one after the other, each made only when there is room for it. False when the socket is gone or
   * overflowed meanwhile.
   */
  async paced(make: () => Promise<Buffer | undefined>): Promise<boolean> {
    const before = this.#turn;
    const done = Promise.withResolvers<void>();
    this.#turn = done.promise;
    await before;
    try {
      if (!(await this.#room(PACED_BYTES))) return false;
      const frame = await make();
      if (frame === undefined) return false;
      // Even one that is larger than the bound goes out, when nothing else waits.
      return (await this.#room(Math.max(0, this.#limits.queueBytes - frame.length))) && this.send(frame);
    } finally {
      done.resolve();
    }
  }

  /** Until no more than this waits. False when that will not come. */
  async #room(bytes: number): Promise<boolean> {
    while (this.#isOpen() && this.#socket.writableLength > bytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => this.#events.stuck(), this.#limits.stuckMs);
      this.#waiting.add(resolve);
      await promise;
      clearTimeout(timer);
    }
    return this.#isOpen();
  }

  #isOpen(): boolean {
    return !this.#isClosed && !this.isOverflowed && this.#socket.writable;
  }

  #write(frame: Buffer): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frame);
  }

  #drained(): void {
    this.#wake();
    if (!this.isOverflowed) return;
    clearTimeout(this.#overflow);
    this.#overflow = undefined;
    this.#events.drained();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
