// The bytes of server-sent events, in the shape that Durable Streams gives them: a data event with a batch, then a control
// event that says where the reader now stands. The id comes before the data: a batch that is cut off was never there.
import type { Position } from "../session/position.ts";
import type { Page } from "../store/store.ts";

export function sseFrame(page: Page, upToDate: boolean, now: number): Buffer {
  return Buffer.concat(sseParts(page, upToDate, now));
}

/** The same without a copy of the page, for one reader's replay. */
export function sseParts(page: Page, upToDate: boolean, now: number): [Buffer, Buffer, Buffer] {
  const control = controlText(page.last, upToDate ? { upToDate: true } : {}, now);
  return [Buffer.from(`id: ${page.last}\nevent: data\ndata: [`), page.bytes, Buffer.from(`]\n\n${control}`)];
}

/** Nothing new, but this is how things stand. With an id: whoever has seen no event yet returns to here as well. */
export function controlFrame(
  position: Position,
  state: { upToDate: true } | { streamClosed: true },
  now: number,
): Buffer {
  return Buffer.from(`id: ${position}\n${controlText(position, state, now)}`);
}

export const HEARTBEAT_FRAME = Buffer.from(":\n\n");

/** How long a bare EventSource waits before it returns: spread, so that a restart is not met by a herd. */
export function retryFrame(random: number): Buffer {
  return Buffer.from(`retry: ${Math.round(500 + random * 1_500)}\n\n`);
}

function controlText(
  position: Position,
  state: { upToDate?: true; streamClosed?: true },
  now: number,
): string {
  const cursor = state.streamClosed ? "" : `,"streamCursor":"${cursorAt(now)}"`;
  const upToDate = state.upToDate ? ',"upToDate":true' : "";
  const closed = state.streamClosed ? ',"streamClosed":true' : "";
  return `event: control\ndata: {"streamNextOffset":"${position}"${cursor}${upToDate}${closed}}\n\n`;
}

const CURSOR_EPOCH_MS = Date.UTC(2024, 9, 9);
const CURSOR_INTERVAL_MS = 20_000;

/** Which interval of time this is: it lets caches between us and a reader collapse requests without ever looping. */
export function cursorAt(now: number): string {
  return String(Math.floor((now - CURSOR_EPOCH_MS) / CURSOR_INTERVAL_MS));
}

/** Always ahead of the cursor that the reader came with. */
export function cursorAfter(given: string | undefined, now: number): string {
  const current = cursorAt(now);
  const had = given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) : -1;
  return had < Number(current) ? current : String(had + 1);
}
