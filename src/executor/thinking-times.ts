// How long a model was at each of its thoughts: from the end of what it said before to the last word of the thought.
import type { Delta, WholePiece } from "../driver/driver.ts";
import type { Clock } from "./clock.ts";

export class ThinkingTimes {
  readonly #clock: Clock;
  readonly #ms = new Map<number, number>();
  /** Since when the present piece is being made. */
  #since: number;
  #piece = -1;
  #heard: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = this.#heard = clock.now();
  }

  hear({ piece, kind }: Delta): void {
    const now = this.#clock.now();
    if (piece !== this.#piece) {
      this.#since = this.#heard;
      this.#piece = piece;
    }
    this.#heard = now;
    if (kind === "reasoning") this.#ms.set(piece, now - this.#since);
  }

  told(message: readonly WholePiece[]): WholePiece[] {
    return message.map((piece, n) => {
      const ms = this.#ms.get(n);
      return piece.type === "reasoning" && ms !== undefined ? { ...piece, ms } : piece;
    });
  }
}
