// The token with which the command line on this machine speaks to the server: a file that only its owner can read.
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ids } from "../session/ids.ts";
import type { Store } from "../store/store.ts";
import { hashOf, LOGIN_TTL_MS } from "./access.ts";
import { newSecret } from "./secret.ts";

/** The one in the file if the store knows it; else a new one, for a new or another store. */
export async function keepCliToken(
  home: string,
  { store, ids, randomBytes }: { store: Store; ids: Ids; randomBytes: (count: number) => Uint8Array },
): Promise<string> {
  const file = join(home, "cli-token");
  const kept = await readIfThere(file);
  if (kept !== undefined && (await store.credential(hashOf(kept), LOGIN_TTL_MS)) !== undefined) {
    await chmod(file, 0o600);
    return kept;
  }
  const secret = newSecret(randomBytes);
  const token = { id: ids.next("tok"), person: "owner", kind: "person" as const, name: "cli" };
  const added = await store.addToken({ ...token, hash: hashOf(secret) });
  if (!added.ok) throw new Error("a token without a command key can't have been made before");
  await writePrivately(file, `${secret}\n`);
  return secret;
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export async function writePrivately(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  await writeFile(beside, text, { mode: 0o600 });
  await rename(beside, file);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
