// Bytes for PostgreSQL, written one after the other into a buffer that grows and is kept. Made anew for each statement,
// such buffers were most of what appends left to the garbage collector: 2.4 KB each, and a full collection every ten
// thousand.

const SIZE = 64 * 1024;
/** What has grown beyond this was for one unusual statement. */
const KEPT_MAX = 1024 * 1024;
/** Bytes that a UTF-16 unit can take. */
const UTF8_MAX = 3;
const NULL_SIZE = -1;

export class Message {
  #bytes = Buffer.allocUnsafe(SIZE);
  #length = 0;

  /** Whoever was given the bytes has to be done with them. */
  begin(): void {
    if (this.#bytes.length > KEPT_MAX) this.#bytes = Buffer.allocUnsafe(SIZE);
    this.#length = 0;
  }

  get length(): number {
    return this.#length;
  }

  /** Good until it begins anew. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(byte: number): void {
    const at = this.#room(1);
    this.#bytes[at] = byte;
  }

  int16(number: number): void {
    const at = this.#room(2);
    this.#bytes.writeInt16BE(number, at);
  }

  int32(number: number): void {
    const at = this.#room(4);
    this.#bytes.writeInt32BE(number, at);
  }

  /** Of what lies before: a size that is known only afterwards. */
  int32At(at: number, number: number): void {
    this.#bytes.writeInt32BE(number, at);
  }

  copy(bytes: Buffer): void {
    const at = this.#room(bytes.length);
    bytes.copy(this.#bytes, at);
  }

  /** Ends with a zero. */
  name(text: string): void {
    this.#text(text);
    this.byte(0);
  }

  /** With its size in front. */
  sized(text: string): void {
    const at = this.#room(4);
    const size = this.#text(text);
    this.#bytes.writeInt32BE(size, at);
  }

  null(): void {
    this.int32(NULL_SIZE);
  }

  /** Each with its size in front, or as null. */
  sizedInts(numbers: readonly (number | null)[]): void {
    let at = this.#room(12 * numbers.length);
    const bytes = this.#bytes;
    for (let n = 0; n < numbers.length; n++) {
      const number = numbers[n] ?? null;
      bytes.writeInt32BE(number === null ? NULL_SIZE : 8, at);
      at += 4;
      if (number === null) continue;
      bytes.writeInt32BE(Math.floor(number / 2 ** 32), at);
      bytes.writeUInt32BE(number >>> 0, at + 4);
      at += 8;
    }
    this.#length = at;
  }

  sizedDoubles(numbers: readonly number[]): void {
    let at = this.#room(12 * numbers.length);
    for (const number of numbers) {
      this.#bytes.writeInt32BE(8, at);
      at = this.#bytes.writeDoubleBE(number, at + 4);
    }
  }

  /** How many bytes it took. */
  #text(text: string): number {
    const at = this.#room(text.length * UTF8_MAX);
    const bytes = this.#bytes.write(text, at);
    this.#length = at + bytes;
    return bytes;
  }

  /** Where they begin, in a buffer that may be another than before. */
  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length)
      this.#bytes = Buffer.concat(
        [this.#bytes.subarray(0, at)],
        Math.max(this.#length, 2 * this.#bytes.length),
      );
    return at;
  }
}
