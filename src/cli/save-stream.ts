// An answer into a file: under its name only once all of it is on the disk.
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Unreachable } from "../client/errors.ts";
import { Failure } from "./exit.ts";

export async function saveStream(
  response: Response,
  file: string,
  { force }: { force: boolean },
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
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
}

export async function refuseExisting(file: string): Promise<void> {
  try {
    const handle = await open(file, "r");
    await handle.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  throw new Failure("conflict", `${file} is there already; name another file, or replace it with --force`);
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
  } catch (error) {
    throw new Unreachable(response.url, error); // cut off on the way
  }
}
