// Room that is held back: given up when the disk is full, so that there is something to delete with.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { diskFull, isNoRoom } from "./fault.ts";
import type { StorageError } from "../store.ts";

const BALLAST_BYTES = 8 * 1024 * 1024;
/** Less than a start needs: SQLite's shared memory, the first pages of its log. */
const START_BYTES = 1024 * 1024;
const PIECE = Buffer.alloc(256 * 1024);

export class Ballast {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  isThere(): boolean {
    return existsSync(this.#file);
  }

  /** On a full disk the server starts in the room that is held back; what is full is for it to say. */
  giveUpToStart(): StorageError | undefined {
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    if (bavail * bsize >= START_BYTES) return undefined;
    this.giveUp();
    return diskFull();
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
