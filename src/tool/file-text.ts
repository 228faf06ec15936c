// Reading a workspace file as text, within bounds, with failures a model can act on.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { getSystemErrorMessage } from "node:util";
import { openInside, Outside } from "./inside.ts";
import type { Place } from "./tool.ts";

export const FILE_MAX_BYTES = 10 * 1024 * 1024;

/** `isExact`: its bytes are those of the text. Otherwise some were no UTF-8 and stand as U+FFFD. */
export type FileText = { ok: true; text: string; isExact: boolean } | { ok: false; why: string };

export async function fileText(place: Place, path: string): Promise<FileText> {
  try {
    const file = await openInside(place, path);
    try {
      const { size } = await file.stat();
      const tooLarge = (has: string) =>
        refused(`${path} has ${has}; at most ${FILE_MAX_BYTES} can be read: use shell`);
      if (size > FILE_MAX_BYTES) return tooLarge(`${size} bytes`);
      // No more than that, whatever its size says: it may grow, and some of the kernel's have none and no end.
      const reading = file.createReadStream({ start: 0, end: FILE_MAX_BYTES, autoClose: false });
      const bytes = Buffer.concat((await reading.toArray()) as Buffer[]); // no encoding was asked for
      if (bytes.byteLength > FILE_MAX_BYTES) return tooLarge("more bytes than it says");
      if (bytes.subarray(0, 8000).includes(0)) return refused(`${path} is not a text file (${size} bytes)`);
      return { ok: true, text: bytes.toString("utf8"), isExact: isUtf8(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return fileFault(path, error);
  }
}

export function fileFault(path: string, error: unknown): Extract<FileText, { ok: false }> {
  if (error instanceof Outside) return refused(error.message);
  const { code, errno } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return refused(`${path} does not exist`);
  if (code === "ENOTDIR") return refused(`a part of ${path} is not a directory`);
  if (code === "ELOOP") return refused(`a part of ${path} is a symbolic link that leads nowhere`);
  if (code === "EISDIR") return refused(`${path} is a directory`);
  if (code === "EACCES" || code === "EPERM") return refused(`${path} can't be opened: permission denied`);
  if (code === "ENOSPC") return refused(`${path} can't be written: the disk is full`);
  if (errno !== undefined) return refused(`${path} can't be used: ${getSystemErrorMessage(errno)}`);
  throw error;
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function refused(why: string): Extract<FileText, { ok: false }> {
  return { ok: false, why };
}
