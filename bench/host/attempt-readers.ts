// Those who watch while a server dies: each follows a session, comes back where it stopped as soon as someone answers, and
// keeps what it was shown. One message goes out when all have words of the attempt that is waited for.
import { say, whenTold } from "./host.ts";
import { readLines } from "./lines.ts";

export type ToAttemptReaders =
  | { follow: string[]; url: string; token: string }
  /** Waits for words of this attempt, or a later one, in every session. */
  | { attempt: number };

export type Shown = { session: string; part: string; text: string };
export type AttemptReadersSaid = { ready: true } | { at: number; shown: Shown[] };

const RETURN_MS = 10;

type Reader = { session: string; position: string; attempt: number; part: string; text: string };

let readers: Reader[] = [];
let awaited = 0;

whenTold((told: ToAttemptReaders) => {
  if ("attempt" in told) {
    awaited = told.attempt;
    tellWhenAll();
    return;
  }
  readers = told.follow.map((session) => ({ session, position: "-1", attempt: 0, part: "", text: "" }));
  for (const reader of readers) attach(reader, told.url, told.token);
});
say({ ready: true } satisfies AttemptReadersSaid);

function attach(reader: Reader, url: string, token: string): void {
  const path = `/api/sessions/${reader.session}/events?offset=${reader.position}&live=sse`;
  const socket = readLines(url, path, token, (line) => {
    if (line.startsWith("data: [")) take(reader, JSON.parse(line.slice(6)) as LogEvent[]);
  });
  socket.on("error", () => {}); // nobody listens yet; "close" follows
  socket.on("close", () => setTimeout(() => attach(reader, url, token), RETURN_MS));
}

type LogEvent = { position: string; type: string; data: { part?: string; text?: string } };

function take(reader: Reader, events: LogEvent[]): void {
  for (const { position, type, data } of events) {
    reader.position = position;
    if (type !== "draft" || data.part === undefined) continue;
    const attempt = attemptOf(data.part);
    if (attempt > reader.attempt) Object.assign(reader, { attempt, part: data.part, text: "" });
    reader.text += data.text ?? "";
  }
  tellWhenAll();
}

/** A part is `<step>.<attempt>/<piece>`. */
function attemptOf(part: string): number {
  return Number(/\.(\d+)\/\d+$/.exec(part)?.[1] ?? 0);
}

function tellWhenAll(): void {
  if (awaited === 0 || readers.some(({ attempt }) => attempt < awaited)) return;
  awaited = 0;
  const shown = readers.map(({ session, part, text }) => ({ session, part, text }));
  say({ at: performance.timeOrigin + performance.now(), shown } satisfies AttemptReadersSaid);
}
