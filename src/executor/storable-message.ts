// A model's message as an event can hold it: without secrets, long texts in blobs, and arguments that are too long are not
// taken.
import { brokenArgs, type WholePiece } from "../driver/driver.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { LongText, Piece } from "../session/event.ts";

/** For all calls of a message together; the event that proposes a call repeats its arguments. */
export const ARGS_MAX_BYTES = 180 * 1024;

export async function storableMessage(
  message: readonly WholePiece[],
  { longText, secrets }: { longText: (text: string) => Promise<LongText>; secrets: Secrets },
): Promise<Piece[]> {
  let room = ARGS_MAX_BYTES;
  const pieces: Piece[] = [];
  for (const piece of message) {
    if (piece.type === "text") pieces.push({ ...piece, text: await longText(piece.text) });
    else if (piece.type === "reasoning") {
      const { provider: _, ...unsigned } = piece;
      const isAsItWas = secrets.hide(piece.text) === piece.text; // else its provider would not take it back as signed
      pieces.push({ ...(isAsItWas ? piece : unsigned), text: await longText(piece.text) });
    } else if (piece.type === "call") {
      const args = secrets.hideIn(piece.args); // run-tools.ts refuses what was hidden in
      const bytes = Buffer.byteLength(JSON.stringify(args) ?? "");
      const fits = bytes <= room;
      if (fits) room -= bytes;
      pieces.push({ ...piece, args: fits ? args : brokenArgs(tooLong(bytes)) });
    } else pieces.push(piece);
  }
  return pieces;
}

function tooLong(bytes: number): string {
  return `[${bytes} bytes, and a step takes at most ${ARGS_MAX_BYTES}: do it in smaller parts]`;
}
