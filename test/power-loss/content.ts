/** A file's bytes, which grow and shrink; where nothing was written there are zeros. */
export class Content {
  #room = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#size);
  }

  write(at: number, bytes: Buffer): void {
    if (at + bytes.length > this.#size) this.resize(at + bytes.length);
    bytes.copy(this.#room, at);
  }

  resize(size: number): void {
    if (size > this.#room.length) {
      const room = Buffer.alloc(Math.max(size, 2 * this.#room.length));
      this.bytes.copy(room);
      this.#room = room;
    } else if (size < this.#size) this.#room.fill(0, size, this.#size);
    this.#size = size;
  }

  copy(): Content {
    const copy = new Content();
    copy.write(0, this.bytes);
    return copy;
  }
}
