// A model's message as an event can hold it: long texts go into blobs, and arguments that are too long are not taken.
import { brokenArgs, type WholePiece } from "../driver/driver.ts";
import type { LongText, Piece } from "../session/event.ts";

/** For all calls of a message together; the event that proposes a call repeats its arguments. */
export const ARGS_MAX_BYTES = 180 * 1024;

export async function storableMessage(
  message: readonly WholePiece[],
  longText: (text: string) => Promise<LongText>,
): Promise<Piece[]> {
  let room = ARGS_MAX_BYTES;
  const pieces: Piece[] = [];
  for (const piece of message) {
    if (piece.type === "text" || piece.type === "reasoning")
      pieces.push({ ...piece, text: await longText(piece.text) });
    else if (piece.type === "call") {
      const bytes = Buffer.byteLength(JSON.stringify(piece.args) ?? "");
      const fits = bytes <= room;
      if (fits) room -= bytes;
      pieces.push(fits ? piece : { ...piece, args: brokenArgs(tooLong(bytes)) });
    } else pieces.push(piece);
  }
  return pieces;
}

function tooLong(bytes: number): string {
  return `[${bytes} bytes, and a step takes at most ${ARGS_MAX_BYTES}: do it in smaller parts]`;
}
