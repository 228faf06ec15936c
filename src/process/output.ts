// Reading what a command said, at byte positions in its output file: a position given out stays good for ever. The file is as
// the command wrote it; what is read from it has no secrets, which are masked byte for byte.
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { ByteMask } from "../secret/mask.ts";
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
 * At most `limit` bytes as text. A character of which only the beginning has come is left for the next read, and so is what
 * may be the beginning of a secret, unless `whole` says that no more is to come.
 */
export async function readOutput(
  dir: string,
  mask: ByteMask,
  from: number,
  limit: number,
  whole = true,
): Promise<Output> {
  const read = await readBytes(dir, mask, from, Math.max(limit, CHARACTER_MAX_BYTES));
  const { size, sureTo } = read;
  const bytes = whole ? read.bytes : read.bytes.subarray(0, Math.max(0, sureTo - from));
  const atEnd = whole && from + bytes.length >= size;
  const kept = atEnd ? bytes : bytes.subarray(0, bytes.length - bytesOfCutCharacter(bytes));
  return { text: kept.toString("utf8"), from, next: from + kept.length, bytes: size };
}

/**
 * At most READ_MAX_BYTES. `size` is how much there is by now; from `sureTo` on it may be the beginning of a secret. A secret
 * is known by what stands before and behind what is wanted, too.
 */
export async function readBytes(
  dir: string,
  mask: ByteMask,
  from: number,
  limit: number,
): Promise<{ bytes: Buffer; size: number; sureTo: number }> {
  const file = await missing(open(join(dir, "output"), "r"));
  if (file === undefined) return { bytes: Buffer.alloc(0), size: 0, sureTo: 0 };
  try {
    const { size } = await file.stat();
    const wanted = Math.min(limit, READ_MAX_BYTES, size - from);
    if (wanted <= 0) return { bytes: Buffer.alloc(0), size, sureTo: size };
    const start = Math.max(0, from - mask.reach);
    const around = Math.min(size, from + wanted + mask.reach) - start;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(around), 0, around, start);
    const bytes = buffer.subarray(0, bytesRead);
    const atEnd = start + bytesRead >= size;
    const sureTo = start + bytesRead - (atEnd ? mask.begun(bytes) : 0);
    mask.hide(bytes, atEnd);
    return { bytes: bytes.subarray(from - start, from - start + wanted), size, sureTo };
  } finally {
    await file.close();
  }
}

/** Yields output as it comes, from a position on, until the process has ended and all was said, or the signal. */
export async function* follow(
  process: RunningProcess,
  mask: ByteMask,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Output, void> {
  let next = from;
  for await (const _ of looks(process.dir, signal)) {
    const ended = (await stateOf(process)).state !== "running"; // asked first: what is read after an end is all
    while (!signal.aborted) {
      const output = await readOutput(process.dir, mask, next, FOLLOW_BYTES, ended);
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
