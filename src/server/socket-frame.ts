// The bytes of a WebSocket text frame, made once and shared by every socket that gets it. Servers don't mask; nothing is
// compressed; so a frame is its head and its payload.
import type { ServerFrame } from "../protocol/socket.ts";
import type { LogId } from "../store/store.ts";

const TEXT_FINAL = 0x81;

export function serverFrame(frame: ServerFrame): Buffer {
  return textFrame([Buffer.from(JSON.stringify(frame))]);
}

/** `events` are stored texts joined by commas: they go out as they lie. */
export function eventsFrame(session: LogId, events: Buffer): Buffer {
  const open = `{"op":"events","session":${JSON.stringify(session)},"events":[`;
  return textFrame([Buffer.from(open), events, EVENTS_END]);
}
const EVENTS_END = Buffer.from("]}");

function textFrame(payload: Buffer[]): Buffer {
  const bytes = payload.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([frameHead(bytes), ...payload]);
}

function frameHead(bytes: number): Buffer {
  if (bytes < 126) return Buffer.from([TEXT_FINAL, bytes]);
  if (bytes < 65_536) return Buffer.from([TEXT_FINAL, 126, bytes >> 8, bytes & 0xff]);
  const head = Buffer.alloc(10);
  head[0] = TEXT_FINAL;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}
