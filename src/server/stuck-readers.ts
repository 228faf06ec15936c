// Whoever stops reading an answer loses its connection: what waits for it takes memory, and a backup's place. It counts as
// stuck when something waits and nothing of it was taken for as long as that; one that reads slowly, or to whom
// nothing is to be said yet, is waited for. The time is Node's own timeout of a connection, since only Node sees the
// parts of one write go out.
import type { Context } from "./context.ts";
import type { App } from "./zod.ts";

export function cutStuckReaders(app: App, { limits, metrics }: Context): void {
  app.addHook("onRequest", (_, reply, done) => {
    const { raw } = reply;
    raw.setTimeout(limits.stuckMs, () => {
      const { socket } = raw;
      if (socket === null || socket.writableLength === 0) return;
      metrics.slowReaders.add(1, { kind: "plain" });
      socket.destroy();
    });
    done();
  });
}
