// Files that persons attach: chunks first, and only the row that comes last makes the file one that anybody can see.
import type { FileInfo } from "../store.ts";
import { readChunks } from "./blob.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

export function addFile(
  { database }: Writing,
  { file, name, type, bytes }: FileInfo,
  blob: number,
  now: number,
): void {
  database.run("update blob set complete = 1, bytes = ? where key = ?", bytes, blob);
  database.run(
    "insert into file (id, name, type, bytes, blob, at) values (?, ?, ?, ?, ?, ?)",
    file,
    name,
    type,
    bytes,
    blob,
    now,
  );
}

export function readFile(
  database: Database,
  id: string,
): (FileInfo & { read(): AsyncIterable<Buffer> }) | undefined {
  const file = database.get<FileInfo & { blob: number }>(
    "select id as file, name, type, bytes, blob from file where id = ?",
    id,
  );
  if (!file) return undefined;
  const { blob, ...info } = file;
  return {
    ...info,
    async *read() {
      yield* readChunks(database, blob);
    },
  };
}
