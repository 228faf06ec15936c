// Which machine and home this is, for a database that several share. Kept in the home from the first start on, since a
// machine may be given another name while work and processes are known under the old one.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

export function readHostId(home: string): string {
  return kept(home) ?? `${hostname()}/${createHash("sha256").update(home).digest("hex").slice(0, 6)}`;
}

/** When a server starts; one that was given an id by its environment keeps none. */
export async function keepHostId(home: string): Promise<void> {
  const id = readHostId(home);
  if (kept(home) === undefined) await writeFile(fileIn(home), `${id}\n`, { mode: 0o600 });
}

function kept(home: string): string | undefined {
  try {
    return readFileSync(fileIn(home), "utf8").trim() || undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What is wrong with the home itself is said elsewhere, where it is needed.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return undefined;
    throw error;
  }
}

function fileIn(home: string): string {
  return join(home, "host-id");
}
