// Whoever reads a long answer (a download, an export, a backup) with a credential that is revoked loses it there and then,
// as a stream is lost. A short one has left before anybody could say so, and may be the answer to the revocation itself.
import { Readable } from "node:stream";
import { problem } from "../protocol/problem.ts";
import type { Context } from "./context.ts";
import { Refusal } from "./refusal.ts";
import type { App } from "./zod.ts";

const LONG_BYTES = 64 * 1024;

export function cutRevokedReaders(app: App, { access, streams }: Context): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const { caller } = request;
    const { raw } = reply;
    if (!isLong(payload) || caller.id === "" || raw.destroyed) return done();
    if (access.isRevoked(caller)) {
      if (payload instanceof Readable) payload.destroy();
      return done(new Refusal(problem("unauthorized", "The credential was revoked.")));
    }
    const remove = streams.add({
      kind: "plain",
      credential: caller.id,
      // At the end of the server it is waited for, like every answer.
      close: (reason) => void (reason === "revoked" && raw.destroy()),
    });
    raw.once("close", remove);
    done();
  });
}

function isLong(payload: unknown): boolean {
  if (typeof payload === "string" || payload instanceof Uint8Array) return payload.length >= LONG_BYTES;
  return payload instanceof Readable;
}
