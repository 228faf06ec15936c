// What a model is shown of a command's output: all of it, or how it begins and ends and how to read the rest.
import type { ByteMask } from "../secret/mask.ts";
import { bytesOfCutCharacter, readBytes } from "./output.ts";

export type Limits = { headBytes: number; tailBytes: number };

export type HeadTail = {
  text: string;
  bytes: number;
  /** Which bytes are not shown. */
  omitted: { from: number; to: number } | null;
};

export async function headTail(dir: string, mask: ByteMask, id: string, limits: Limits): Promise<HeadTail> {
  const { bytes, size } = await readBytes(dir, mask, 0, limits.headBytes + limits.tailBytes);
  if (bytes.length >= size) return { text: bytes.toString("utf8"), bytes: size, omitted: null };
  const head = upToLine(bytes.subarray(0, limits.headBytes));
  const tail = fromLine((await readBytes(dir, mask, size - limits.tailBytes, limits.tailBytes)).bytes);
  const omitted = { from: head.length, to: size - tail.length };
  const notice =
    `[holdfast: ${omitted.to - omitted.from} of ${size} bytes are left out here; the process tool reads on with ` +
    `{"action":"output","process":"${id}","offset":${omitted.from}}]`;
  return { text: `${head.toString("utf8")}\n${notice}\n${tail.toString("utf8")}`, bytes: size, omitted };
}

const NEWLINE = 0x0a;

/** Cut after a line unless that costs more than half; never within a character. */
function upToLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  return end * 2 > bytes.length
    ? bytes.subarray(0, end)
    : bytes.subarray(0, bytes.length - bytesOfCutCharacter(bytes));
}

function fromLine(bytes: Buffer): Buffer {
  const start = bytes.indexOf(NEWLINE) + 1;
  if (start > 0 && start * 2 < bytes.length) return bytes.subarray(start);
  const character = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(0, character));
}
