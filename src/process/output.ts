// Reading what a command said, at byte positions in its output file: a position given out stays good for ever.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { missing } from "./directory.ts";
import { looks } from "./looks.ts";
import { stateOf, type RunningProcess } from "./state.ts";

export type Output = {
  text: string;
  /** Of the first byte of `text`, and of the first after it: where to read on. */
  from: number;
  next: number;
  /** How much there is by now. */
  bytes: number;
};

export const READ_MAX_BYTES = 1024 * 1024;
/** The longest character of UTF-8. */
const CHARACTER_MAX_BYTES = 4;
const FOLLOW_BYTES = 64 * 1024;

/**
 * At most `limit` bytes as text. A character of which only the beginning has come is left for the next read, unless
 * `whole` says that no more is to come.
 */
export async function readOutput(dir: string, from: number, limit: number, whole = true): Promise<Output> {
  const { bytes, size } = await readBytes(dir, from, Math.max(limit, CHARACTER_MAX_BYTES));
  const atEnd = whole && from + bytes.length >= size;
  const kept = atEnd ? bytes : bytes.subarray(0, bytes.length - bytesOfCutCharacter(bytes));
  return { text: kept.toString("utf8"), from, next: from + kept.length, bytes: size };
}

/** As they are; at most READ_MAX_BYTES. `size` is how much there is by now. */
export async function readBytes(
  dir: string,
  from: number,
  limit: number,
): Promise<{ bytes: Buffer; size: number }> {
  const file = await missing(open(join(dir, "output"), "r"));
  if (file === undefined) return { bytes: Buffer.alloc(0), size: 0 };
  try {
    const { size } = await file.stat();
    const wanted = Math.max(0, Math.min(limit, READ_MAX_BYTES, size - from));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, from);
    return { bytes: buffer.subarray(0, bytesRead), size };
  } finally {
    await file.close();
  }
}

/** Yields output as it comes, from a position on, until the process has ended and all was said, or the signal. */
export async function* follow(
  process: RunningProcess,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Output, void> {
  let next = from;
  for await (const _ of looks(process.dir, signal)) {
    const ended = (await stateOf(process)).state !== "running"; // asked first: what is read after an end is all
    while (!signal.aborted) {
      const output = await readOutput(process.dir, next, FOLLOW_BYTES, ended);
      if (output.next === next) break;
      next = output.next;
      yield output;
    }
    if (ended) return;
  }
}

/** How many bytes at the end begin a character that goes on beyond it. What is no UTF-8 is not waited for. */
export function bytesOfCutCharacter(bytes: Uint8Array): number {
  for (let back = 1; back < CHARACTER_MAX_BYTES && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue; // in the middle of one
    const needs =
      byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc0 && byte < 0xe0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}
