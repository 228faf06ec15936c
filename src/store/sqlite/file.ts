// Files that persons attach: chunks first, and only the row that comes last makes the file one that anybody can see.
import { FILE_UNNAMED_MS, type Command, type FileInfo } from "../store.ts";
import { readChunks } from "./blob.ts";
import { once } from "./command.ts";
import type { Database } from "./database.ts";
import type { Writing } from "./writing.ts";

type Added = { ok: true; file: FileInfo; replayed?: true } | { ok: false; code: "key_reused" };

export function addFile(
  writing: Writing,
  info: FileInfo,
  blob: number,
  now: number,
  command: Command | undefined,
): Added {
  return once<Added>(writing, command, now, () => {
    insertFile(writing, info, blob, now);
    return { ok: true, file: info };
  });
}

export function insertFile({ database }: Writing, info: FileInfo, blob: number, now: number): void {
  const { file, name, type, bytes } = info;
  database.run("update blob set complete = 1, bytes = ? where key = ?", bytes, blob);
  database.run(
    "insert into file (id, name, type, bytes, blob, at, look_at) values (?, ?, ?, ?, ?, ?, ?)",
    file,
    name,
    type,
    bytes,
    blob,
    now,
    now + FILE_UNNAMED_MS,
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
