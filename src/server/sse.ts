// One reader over server-sent events. The answer is not chunked, it ends with its connection: then a server that dies ends
// it the same way, and a reader resumes instead of reporting a broken body.
import type { FastifyReply } from "fastify";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Position } from "../session/position.ts";
import type { Page } from "../store/store.ts";
import type { Context } from "./context.ts";
import type { LivePage, Reader } from "./feed.ts";
import { controlFrame, HEARTBEAT_FRAME, retryFrame, sseParts } from "./sse-frame.ts";

/** A replay goes on when less than this waits to be sent. */
const REPLAY_QUEUE_BYTES = 256 * 1024;

export class SseReader implements Reader {
  readonly kind = "sse";
  readonly credential: string;
  position: Position;
  readonly #context: Context;
  readonly #response: ServerResponse;
  readonly #life = new AbortController();

  constructor(context: Context, reply: FastifyReply, credential: string, position: Position) {
    this.#context = context;
    this.credential = credential;
    this.position = position;
    reply.hijack();
    const response = (this.#response = reply.raw);
    response.removeHeader("transfer-encoding");
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders), // Fastify's type names every known header one by one
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      connection: "close",
      "x-accel-buffering": "no",
    });
    // The header and what is there to say at once leave together.
    const { socket } = response;
    socket?.cork();
    process.nextTick(() => socket?.uncork());
    response.flushHeaders();
    response.once("close", () => this.#life.abort());
    response.write(retryFrame(context.randomBytes(1)[0]! / 255));
  }

  /** Aborted when the connection is gone. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Behind an answer that has yet to leave the same connection there is no socket: it is waited for, or the end. */
  async connected(): Promise<void> {
    if (this.#response.socket !== null || this.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once("socket", () => resolve());
    this.signal.addEventListener("abort", () => resolve());
    await promise;
  }

  async replay(page: Page): Promise<boolean> {
    const [head, bytes, end] = sseParts(page, false, this.#context.now());
    const socket = this.#open(page.bytes.length);
    socket?.cork();
    socket?.write(head);
    socket?.write(bytes);
    socket?.write(end, (error) => {
      if (!error) page.release?.(); // what is cut off is left to the collector
    });
    socket?.uncork();
    return this.#room();
  }

  joined(): void {
    this.#write(controlFrame(this.position, { upToDate: true }, this.#context.now()));
  }

  live(page: LivePage): void {
    this.#write(page.sse);
  }

  closed(): void {
    this.#write(controlFrame(this.position, { streamClosed: true }, this.#context.now()));
    this.#end();
  }

  gone(): void {
    this.#end(); // the reader returns and is told why
  }

  close(): void {
    this.#end();
  }

  heartbeat(): void {
    this.#write(HEARTBEAT_FRAME);
  }

  /** Past the response and straight to its socket: the frame is shared by all readers and needs nothing around it. */
  #write(frame: Buffer): void {
    this.#open(frame.length)?.write(frame);
  }

  /** Undefined when nothing more can be written. */
  #open(bytes: number): Socket | undefined {
    const { socket } = this.#response;
    if (socket === null || !socket.writable || this.#response.writableEnded) return undefined;
    // A reader that does not read loses its connection, not a part of the log: it resumes at its position.
    if (socket.writableLength > 0 && socket.writableLength + bytes > this.#context.limits.queueBytes) {
      this.#context.metrics.slowReaders.add(1, { kind: "sse" });
      socket.destroy();
      return undefined;
    }
    return socket;
  }

  #end(): void {
    this.#response.end();
    this.#life.abort();
  }

  async #room(): Promise<boolean> {
    const { socket } = this.#response;
    if (socket === null || !socket.writable) return false;
    if (socket.writableLength <= REPLAY_QUEUE_BYTES) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const drained = () => resolve(true);
    const lost = () => resolve(false);
    const stuck = setTimeout(() => socket.destroy(), this.#context.limits.stuckMs);
    socket.once("drain", drained);
    this.#life.signal.addEventListener("abort", lost);
    const hasRoom = await promise;
    clearTimeout(stuck);
    socket.off("drain", drained);
    this.#life.signal.removeEventListener("abort", lost);
    return hasRoom;
  }
}
