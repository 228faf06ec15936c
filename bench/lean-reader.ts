// A reader of answers of megabytes. Node's own client takes new memory for each chunk, and its collector then works on both
// cores through whoever's turn it happens to be; here all bytes come into one buffer, are counted and forgotten.
import { connect, type Socket } from "node:net";
import type { Address } from "./wire.ts";

const BUFFER_BYTES = 256 * 1024;

export type Head = { status: number; headers: Map<string, string> };
/** The chunk is gone when this returns. */
export type Take = (chunk: Buffer) => void;
export type Wish = {
  take?: Take | undefined;
  /** What an answer without a content-length ends with. */
  end?: string;
};

/** One connection, and one request at a time. */
export class LeanReader {
  readonly #address: Address;
  #socket: Promise<Socket> | undefined;
  #answer: Answer | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Resolves once the whole body has come. */
  async get(path: string, wish: Wish = {}): Promise<Head> {
    const { url, token } = this.#address;
    const authorization = token === undefined ? "" : `authorization: Bearer ${token}\r\n`;
    const socket = await (this.#socket ??= this.#connect());
    const answer = (this.#answer = new Answer(wish));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${authorization}\r\n`);
    return answer.whole.promise;
  }

  close(): void {
    void this.#socket?.then((socket) => socket.destroy());
  }

  #connect(): Promise<Socket> {
    const { hostname, port } = new URL(this.#address.url);
    const buffer = Buffer.alloc(BUFFER_BYTES);
    const connected = Promise.withResolvers<Socket>();
    const callback = (bytes: number) => {
      this.#answer?.add(buffer.subarray(0, bytes));
      return true;
    };
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: { buffer, callback },
    });
    const lose = (error: Error) => {
      connected.reject(error);
      this.#answer?.whole.reject(error);
    };
    socket.once("connect", () => connected.resolve(socket));
    socket.once("error", lose);
    socket.once("end", () => lose(new Error(`${this.#address.url} closed the connection`)));
    return connected.promise;
  }
}

class Answer {
  readonly whole = Promise.withResolvers<Head>();
  readonly #wish: Wish;
  #headText = "";
  #head: Head | undefined;
  #bytesLeft = Number.POSITIVE_INFINITY;

  constructor(wish: Wish) {
    this.#wish = wish;
  }

  add(chunk: Buffer): void {
    if (this.#head) return this.#addBody(this.#head, chunk);
    this.#headText += chunk.toString("latin1");
    const [head = "", ...rest] = this.#headText.split("\r\n\r\n");
    if (rest.length === 0) return;
    this.#head = headOf(head);
    this.#bytesLeft = Number(this.#head.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
    if (this.#bytesLeft === Number.POSITIVE_INFINITY && this.#wish.end === undefined)
      return this.whole.reject(new Error("an answer says neither how long it is nor how it ends"));
    this.#addBody(this.#head, chunk.subarray(chunk.length - (this.#headText.length - head.length - 4)));
  }

  #addBody(head: Head, chunk: Buffer): void {
    const { take, end } = this.#wish;
    take?.(chunk);
    this.#bytesLeft -= chunk.length;
    const isEnd =
      end !== undefined && chunk.toString("latin1", Math.max(0, chunk.length - end.length)) === end;
    if (isEnd || this.#bytesLeft === 0) this.whole.resolve(head);
  }
}

function headOf(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1]), headers: new Map(headers) };
}
