// Bytes on their way into the store, a chunk to a call.
import { createHash } from "node:crypto";
import { StorageError, type BlobInfo, type LogId, type Store } from "../store.ts";
import { CHUNK_BYTES } from "./blob.ts";
import type { Context } from "./context.ts";

/** More than tidy can drop the same bytes under us. */
const TRIES_MAX = 5;

export async function putBlob({ writer, clock }: Context, log: LogId, bytes: Uint8Array): Promise<BlobInfo> {
  const blob = createHash("sha256").update(bytes).digest("hex");
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { key, complete } = await writer.call("beginBlob", blob, bytes.byteLength, clock());
    if (!complete)
      for (let n = 0; n * CHUNK_BYTES < bytes.byteLength; n++)
        await writer.call("putChunk", key, n, bytes.slice(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
    if (await writer.call("finishBlob", key, blob, log, clock())) return { blob, bytes: bytes.byteLength };
  }
  throw new StorageError("busy", `blob ${blob} was dropped ${TRIES_MAX} times while it was put: try again`);
}

export async function putFile(
  context: Context,
  { id, name, type }: { id: string; name: string; type: string },
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  commandOf?: Parameters<Store["putFile"]>[3],
): Promise<Awaited<ReturnType<Store["putFile"]>>> {
  const { writer, clock } = context;
  const put = await putPieces(context, pieces, maxBytes);
  if (!put) return { ok: false, code: "too_large" };
  const { key, bytes } = put;
  const added = await writer.call("addFile", { file: id, name, type, bytes }, key, clock(), commandOf?.());
  if (!added.ok || added.replayed) await dropPieces(context, key); // the first file stands for it
  return added;
}

/** A blob that nobody can see yet; undefined when there were too many bytes. */
export async function putPieces(
  context: Context,
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ key: number; bytes: number } | undefined> {
  const { writer, clock } = context;
  const { key } = await writer.call("beginBlob", null, 0, clock());
  let [bytes, n] = [0, 0];
  try {
    for await (const chunk of inChunks(pieces)) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) {
        await dropPieces(context, key);
        return undefined;
      }
      await writer.call("putChunk", key, n++, chunk);
    }
  } catch (error) {
    await dropPieces(context, key);
    throw error;
  }
  return { key, bytes };
}

export async function dropPieces({ writer }: Context, key: number): Promise<void> {
  while (await writer.call("dropBlob", key));
}

/** Pieces of any size, as chunks of about one size. */
async function* inChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.byteLength; from += CHUNK_BYTES) {
      const part = piece.subarray(from, from + CHUNK_BYTES);
      held.push(part);
      size += part.byteLength;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}
