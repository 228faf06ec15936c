// Holdfast's own store and server in one process, as `holdfast serve` composes them, with an executor's appends beside them:
// told to, it writes a burst of events, each by an append of its own, all within one tick.
import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { startServer } from "../../src/server/server.ts";
import type { NewDraft } from "../../src/session/event.ts";
import { openSqlite } from "../open-store.ts";
import { say, whenTold } from "./host.ts";

const [file = "", token = "", session = "", eventCount = "", mark = ""] = process.argv.slice(2);
const count = Number(eventCount);
const LEASE_MS = 60_000;

const store = await openSqlite(new AsyncDisposableStack(), file);
const created = await store.createSession({ id: session, profile: "default" }, { person: "owner" });
const claimed = await store.claimLease(session, LEASE_MS);
if (!created.ok || !claimed.ok) throw new Error("no session to write to");
const server = await startServer({
  store,
  version: "bench",
  host: "127.0.0.1",
  port: 0,
  token,
  webFolder: new URL("../../web-dist", import.meta.url).pathname,
  backupFolder: `${file}-backup`,
  log: pino({ level: "error" }),
  now: Date.now,
  randomBytes,
});

let offset = 0;
whenTold(() => {
  const appends = Array.from({ length: count }, async (_, n) => {
    const text = (n === count - 1 ? mark : "").padStart(
      120,
      "and so the agent goes on to say what it has seen, ",
    );
    const appended = await store.append(session, [draft(text)], { by: "executor", lease: claimed.lease });
    if (!appended.ok) throw new Error(`an append was refused: ${appended.code}`);
  });
  Promise.all(appends).catch((error: unknown) => {
    throw error;
  });
});
say({ url: server.url });

function draft(text: string): NewDraft {
  const at = offset;
  offset += text.length;
  return { type: "draft", data: { part: "step.1/0", kind: "text", offset: at, text } };
}
