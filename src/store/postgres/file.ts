// Files that persons attach, in chunks: a slow upload holds no connection, and only the row that comes last makes the
// file one that anybody can see.
import { FILE_UNNAMED_MS, type FileInfo, type Store } from "../store.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import type { Database, Transaction } from "./database.ts";

const CHUNK_BYTES = 256 * 1024;

export async function putFile(
  context: Context,
  { id, name, type }: { id: string; name: string; type: string },
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  commandOf?: Parameters<Store["putFile"]>[3],
): Promise<Awaited<ReturnType<Store["putFile"]>>> {
  const { database, clock } = context;
  const size = await putChunks(context, id, bytes, maxBytes);
  if (size === undefined) return { ok: false, code: "too_large" };
  const command = commandOf?.();
  const put = await database.transaction(
    (transaction) =>
      once(transaction, command, async () => {
        const file = { file: id, name, type, bytes: size };
        if (!(await insertFile(transaction, file, clock()))) throw new Error(`there is a file ${id} already`);
        return { ok: true, file } as const;
      }),
    { repeatable: command !== undefined },
  );
  // Another file stands for it; its own, when only the commit's answer was lost.
  if (!put.ok || put.file.file !== id) await dropChunks(database, id);
  return put;
}

/** Nobody can see them yet. Undefined when there were too many. */
export async function putChunks(
  { database, clock }: Context,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<number | undefined> {
  let [size, chunks] = [0, 0];
  try {
    for await (const chunk of inChunks(bytes)) {
      size += chunk.byteLength;
      if (size > maxBytes) {
        await dropChunks(database, id);
        return undefined;
      }
      await database.query({
        text: "insert into file_chunk (file, n, bytes, at) values ($1, $2, $3, $4)",
        values: [id, chunks++, chunk, clock()],
      });
    }
  } catch (error) {
    await dropChunks(database, id).catch(() => {}); // what went wrong first is what counts; `tidy` finds what is left
    throw error;
  }
  return size;
}

/** False when there is one of this id. */
export async function insertFile(transaction: Transaction, info: FileInfo, at: number): Promise<boolean> {
  const { file, name, type, bytes } = info;
  const made = await transaction.query({
    text: `insert into file (id, name, type, bytes, created_at, look_at) values ($1, $2, $3, $4, $5, $6)
      on conflict do nothing returning id`,
    values: [file, name, type, bytes, at, at + FILE_UNNAMED_MS],
  });
  return made.length > 0;
}

export async function readFile(
  database: Database,
  id: string,
): Promise<(FileInfo & { read(): AsyncIterable<Buffer> }) | undefined> {
  const [file] = await database.query<Omit<FileInfo, "file">>({
    text: "select name, type, bytes from file where id = $1",
    values: [id],
  });
  return file && { file: id, ...file, read: () => readChunks(database, id) };
}

export async function* readChunks(database: Database, id: string): AsyncGenerator<Buffer> {
  for (let n = 0; ; n++) {
    const [chunk] = await database.query<{ bytes: Buffer }>({
      text: "select bytes from file_chunk where file = $1 and n = $2",
      values: [id, n],
    });
    if (!chunk) return;
    yield chunk.bytes;
  }
}

export async function dropChunks(database: Database, id: string): Promise<void> {
  await database.query({ text: "delete from file_chunk where file = $1", values: [id] });
}

async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    held.push(piece);
    size += piece.byteLength;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
