// Room that is held back: given up when the disk is full, so that there is something to delete with.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

const BALLAST_BYTES = 8 * 1024 * 1024;
const PIECE = Buffer.alloc(256 * 1024);

export class Ballast {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  isThere(): boolean {
    return existsSync(this.#file);
  }

  giveUp(): void {
    rmSync(this.#file, { force: true });
  }

  /** False when there is no room for it. */
  make(): boolean {
    if (this.isThere()) return true;
    const part = `${this.#file}.part`;
    try {
      const handle = openSync(part, "w", 0o600);
      try {
        for (let written = 0; written < BALLAST_BYTES; written += PIECE.length) writeSync(handle, PIECE);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(part, this.#file);
      return true;
    } catch (error) {
      rmSync(part, { force: true });
      if (isNoRoom(error)) return false;
      throw error;
    }
  }
}

function isNoRoom(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
