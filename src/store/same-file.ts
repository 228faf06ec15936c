import { createHash } from "node:crypto";
import type { FileInfo } from "./store.ts";

export type ReadableFile = FileInfo & { read(): AsyncIterable<Uint8Array> };

/** All of `bytes` are read, whatever comes of it. */
export async function isSameFile(
  known: ReadableFile,
  { name, type, bytes: size }: FileInfo,
  bytes: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const came = await digestOf(bytes);
  if (known.name !== name || known.type !== type || known.bytes !== size) return false;
  return came === (await digestOf(known.read()));
}

async function digestOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
