// A model's answer in the hands of a test, on the chat wire: each piece is written when the test says it.
import type { ServerResponse } from "node:http";
import { chatEnd, chatPieces } from "./chat.ts";
import { sse, type Frame, type StubMessage } from "./frame.ts";

export type Mouth = {
  /** Words, thoughts or calls, on the wire at once. */
  say(piece: Pick<StubMessage, "reasoning" | "text" | "calls">): void;
  /** All is said. */
  end(): void;
  /** An error in place of what would have come: a status before the first word, else a last frame. */
  fail(status: number, message: string): void;
  /** Broken in mid-sentence. */
  breakOff(): void;
};

export function openMouth(model: string, response: ServerResponse): Mouth {
  let calls = 0;
  const write = (frames: Iterable<Frame>) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    for (const { text } of frames) response.write(text);
  };
  return {
    say(piece) {
      write(chatPieces(piece, model, calls));
      calls += piece.calls?.length ?? 0;
    },
    end() {
      write(chatEnd({ called: calls > 0 }, model));
      response.end();
    },
    fail(status, message) {
      const error = { error: { message, code: status } };
      if (response.headersSent) return void response.end(sse(error));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(error));
    },
    breakOff: () => void response.destroy(),
  };
}
