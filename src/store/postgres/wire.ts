// Arrays in PostgreSQL's binary form. pg would write them as text, with every quote of every event escaped here and
// unescaped there: measured, an append of 64 events cost half as much again.
//
// By index, since an iterator's results are half of what an append leaves to the garbage collector.
//
// An array is: dimensions, whether it has nulls, element type, length, lower bound; then each element's size and bytes.

const TEXT = 25;
const INT8 = 20;
const FLOAT8 = 701;
const HEAD_BYTES = 20;
const NULL_SIZE = -1;
/** Bytes that a UTF-16 unit can take. */
const UTF8_MAX = 3;

/** Room for ASCII, which most of it is: what would hold anything is mostly garbage, by the megabyte a second. */
export function textArray(texts: readonly (string | null)[]): Buffer {
  let left = 0;
  for (let n = 0; n < texts.length; n++) left += 4 + (texts[n]?.length ?? 0);
  let array = head(TEXT, texts.length, HEAD_BYTES + left);
  let at = HEAD_BYTES;
  for (let n = 0; n < texts.length; n++) {
    const text = texts[n] ?? null;
    if (text === null) {
      array.writeInt32BE(NULL_SIZE, at);
      at += 4;
      left -= 4;
      continue;
    }
    const plain = storable(text);
    left -= 4 + text.length;
    if (array.length < at + 4 + Buffer.byteLength(plain) + left)
      array = Buffer.concat([array.subarray(0, at)], at + 4 + (plain.length + left) * UTF8_MAX); // once
    const bytes = array.write(plain, at + 4);
    array.writeInt32BE(bytes, at);
    at += 4 + bytes;
  }
  return array.subarray(0, at);
}

export function bigintArray(numbers: readonly (number | null)[]): Buffer {
  const array = head(INT8, numbers.length, HEAD_BYTES + 12 * numbers.length);
  let at = HEAD_BYTES;
  for (let n = 0; n < numbers.length; n++) {
    const number = numbers[n] ?? null;
    if (number === null) {
      array.writeInt32BE(NULL_SIZE, at);
      at += 4;
      continue;
    }
    array.writeInt32BE(8, at);
    array.writeInt32BE(Math.floor(number / 2 ** 32), at + 4);
    array.writeUInt32BE(number >>> 0, at + 8);
    at += 12;
  }
  return array.subarray(0, at);
}

export function doubleArray(numbers: readonly number[]): Buffer {
  const array = head(FLOAT8, numbers.length, HEAD_BYTES + 12 * numbers.length);
  let at = HEAD_BYTES;
  for (const number of numbers) {
    array.writeInt32BE(8, at);
    array.writeDoubleBE(number, at + 4);
    at += 12;
  }
  return array;
}

/** PostgreSQL's text can't hold a NUL. Events escape it in their JSON; in an index column it becomes a mark. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}

function head(type: number, length: number, size: number): Buffer {
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
