// Writing to a command that was started with a FIFO for its standard input.
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, readSpec } from "./directory.ts";
import { stateOf, type RunningProcess } from "./state.ts";

export type Written =
  | { ok: true }
  | { ok: false; code: "no_input" | "ended" }
  /** It reads no further; what it was given of this text is already its own. */
  | { ok: false; code: "full"; writtenBytes: number };

const WRITE_MAX_MS = 5_000;
const RETRY_MS = 20;

export async function writeInput(
  process: RunningProcess,
  text: string,
  maxMs = WRITE_MAX_MS,
): Promise<Written> {
  if ((await readSpec(process.dir))?.stdin !== "fifo") return { ok: false, code: "no_input" };
  const deadline = performance.now() + maxMs;
  const fifo = await openFifo(process, deadline);
  if (fifo === "ended") return { ok: false, code: "ended" };
  if (fifo === "late") return { ok: false, code: "full", writtenBytes: 0 };
  try {
    return await writeAll(fifo, Buffer.from(text), deadline);
  } finally {
    await fifo.close();
  }
}

/**
 * Never blocking, for a FIFO without a reader would hold a thread of the pool for good. A shim that has just begun
 * has not opened it yet.
 */
async function openFifo(process: RunningProcess, deadline: number): Promise<FileHandle | "ended" | "late"> {
  while ((await stateOf(process)).state === "running") {
    try {
      return await open(join(process.dir, "input"), constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENXIO") throw error;
    }
    if (performance.now() >= deadline) return "late";
    await delay(RETRY_MS);
  }
  return "ended";
}

async function writeAll(fifo: FileHandle, bytes: Buffer, deadline: number): Promise<Written> {
  let writtenBytes = 0;
  while (writtenBytes < bytes.length) {
    const some = await writeSome(fifo, bytes.subarray(writtenBytes));
    if (some === "nobody reads") return { ok: false, code: "ended" };
    writtenBytes += some;
    if (some > 0) continue;
    if (performance.now() >= deadline) return { ok: false, code: "full", writtenBytes };
    await delay(RETRY_MS);
  }
  return { ok: true };
}

async function writeSome(fifo: FileHandle, bytes: Buffer): Promise<number | "nobody reads"> {
  try {
    return (await fifo.write(bytes)).bytesWritten;
  } catch (error) {
    if (codeOf(error) === "EAGAIN") return 0;
    if (codeOf(error) === "EPIPE") return "nobody reads";
    throw error;
  }
}
