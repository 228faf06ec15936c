// One socket's reading of what a process says: from a byte on, as it comes, until it is over.
import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerFrame } from "../protocol/socket.ts";
import type { ProcessRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { outputElsewhere } from "./other-host.ts";
import type { Outbox } from "./outbox.ts";
import { liveHere } from "./profiles.ts";
import { Refusal } from "./refusal.ts";
import { serverFrame } from "./socket-frame.ts";

const CHUNK_BYTES = 64 * 1024;
const LOOK_AGAIN_MS = 200;
/** Each look is a request to another server. */
const LOOK_ELSEWHERE_MS = 500;

export class OutputAttachment {
  readonly #context: Context;
  readonly #outbox: Outbox;
  /** Of the socket's own request: by these another server knows who asks. */
  readonly #headers: IncomingHttpHeaders;
  readonly #process: string;
  /** It was sent to its end, or its reader was told why it can't be. */
  isOver = false;
  /** How far it was sent; what was dropped was not. */
  #offset: number;
  #lookAgainMs = LOOK_AGAIN_MS;
  #left = new AbortController();

  constructor(
    context: Context,
    outbox: Outbox,
    headers: IncomingHttpHeaders,
    process: string,
    offset: number,
  ) {
    this.#context = context;
    this.#outbox = outbox;
    this.#headers = headers;
    this.#process = process;
    this.#offset = offset;
  }

  /** Again after a `leave` it goes on where it was. */
  async run(): Promise<void> {
    this.#left = new AbortController();
    const { signal } = this.#left;
    while (!signal.aborted) {
      const output = await this.#read();
      if (signal.aborted) return;
      if ("code" in output) return this.#refuse(output);
      if (output.text !== "" || output.over) {
        const isSent = await this.#outbox.paced(() =>
          Promise.resolve(signal.aborted ? undefined : serverFrame(output)),
        );
        if (!isSent) return;
        this.#offset = output.next;
        this.isOver = output.over;
        if (output.over) return;
      }
      if (output.text === "") await delay(this.#lookAgainMs, undefined, { signal }).catch(() => {}); // left
    }
  }

  leave(): void {
    this.#left.abort();
  }

  failed(): void {
    this.#refuse({ code: "internal", detail: "It can't be read now; attach again." });
  }

  async #read(): Promise<Extract<ServerFrame, { op: "output" }> | Refused> {
    const row = await this.#context.store.process(this.#process);
    if (!row) return { code: "not_found", detail: `There is no process "${this.#process.slice(0, 100)}".` };
    const live = await orRefused(liveHere(this.#context));
    if ("code" in live) return live;
    if (live.host !== row.host) return this.#readElsewhere(row);
    const { text, from, next, bytes } = await live.output(row.id, this.#offset, CHUNK_BYTES);
    const over = row.status !== "running" && next >= bytes;
    return { op: "output", process: row.id, from, next, text, over };
  }

  async #readElsewhere(row: ProcessRow): Promise<Extract<ServerFrame, { op: "output" }> | Refused> {
    this.#lookAgainMs = LOOK_ELSEWHERE_MS;
    const range = { offset: this.#offset, limit: CHUNK_BYTES };
    const output = await orRefused(outputElsewhere(this.#context, this.#headers, row, range));
    if ("code" in output) return output;
    const { text, from, next, over } = output;
    return { op: "output", process: row.id, from, next, text, over };
  }

  #refuse({ code, detail }: Refused): void {
    this.isOver = this.#outbox.send(serverFrame({ op: "error", code, detail, process: this.#process }));
  }
}

async function orRefused<T>(work: Promise<T>): Promise<T | Refused> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: "host_down", detail: error.problem.detail };
  }
}

type Refused = { code: "not_found" | "host_down" | "internal"; detail: string };
