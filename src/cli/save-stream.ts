// An answer into a file: under its name only once all of it is on the disk. What ends too early is worth keeping only
// where its beginning is of use by itself, as that of a log is.
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Unreachable } from "../client/errors.ts";
import { Failure } from "./exit.ts";

export async function saveStream(
  response: Response,
  file: string,
  { force, keepsPart = false }: { force: boolean; keepsPart?: boolean },
): Promise<number> {
  if (!force) await refuseExisting(file);
  const part = join(dirname(file), `.${basename(file)}.part-${process.pid}`);
  const handle = await open(part, "wx", 0o600);
  let written = 0;
  try {
    for await (const chunk of chunksOf(response)) {
      await handle.write(chunk);
      written += chunk.length;
    }
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return written;
  } catch (error) {
    const isCutOff = keepsPart && written > 0 && error instanceof Unreachable;
    if (isCutOff) await handle.sync();
    await handle.close();
    if (!isCutOff) await rm(part, { force: true });
    else await rename(part, file);
    throw isCutOff ? new CutOff(written) : error;
  }
}

/** The answer ended before it was whole; this much of it came. */
export class CutOff extends Error {
  readonly written: number;
  constructor(written: number) {
    super("the answer was cut off");
    this.written = written;
  }
}

/** `otherwise`: what else a person can do, where the command has a flag for it. */
export async function refuseExisting(file: string, otherwise = "remove it first"): Promise<void> {
  try {
    const handle = await open(file, "r");
    await handle.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  throw new Failure("conflict", `${file} is there already; name another file, or ${otherwise}`);
}

export async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
  } catch (error) {
    throw new Unreachable(response.url, error); // cut off on the way
  }
}
