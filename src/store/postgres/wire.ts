// Arrays in PostgreSQL's binary form. pg would write them as text, with every quote of every event escaped here and
// unescaped there: measured, an append of 64 events cost half as much again.
//
// By index, since an iterator's results are half of what an append leaves to the garbage collector.
//
// An array is: dimensions, whether it has nulls, element type, length, lower bound; then each element's size and bytes.
import { Message } from "./message.ts";

const TEXT = 25;
const INT8 = 20;
const FLOAT8 = 701;

/** A value that writes itself. */
export class WireArray {
  readonly writeTo: (message: Message) => void;

  constructor(writeTo: (message: Message) => void) {
    this.writeTo = writeTo;
  }

  /** pg's own name for it, on connections where it writes the message. */
  toPostgres(): Buffer {
    scratch.begin();
    this.writeTo(scratch);
    return Buffer.from(scratch.bytes);
  }
}

const scratch = new Message();

export function textArray(texts: readonly (string | null)[]): WireArray {
  return new WireArray((message) => {
    beginArray(message, TEXT, texts.length);
    for (let n = 0; n < texts.length; n++) {
      const text = texts[n] ?? null;
      if (text === null) message.null();
      else message.sized(storable(text));
    }
  });
}

export function bigintArray(numbers: readonly (number | null)[]): WireArray {
  return new WireArray((message) => {
    beginArray(message, INT8, numbers.length);
    message.sizedInts(numbers);
  });
}

export function doubleArray(numbers: readonly number[]): WireArray {
  return new WireArray((message) => {
    beginArray(message, FLOAT8, numbers.length);
    message.sizedDoubles(numbers);
  });
}

/** PostgreSQL's text can't hold a NUL. Events escape it in their JSON; in an index column it becomes a mark. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}

function beginArray(message: Message, type: number, length: number): void {
  message.int32(1);
  message.int32(1);
  message.int32(type);
  message.int32(length);
  message.int32(1);
}
