// Which logs name which files, and the end of those that none names any more.
import { FILE_LEFT_MS, FILE_NAMED_MS, FILE_UNNAMED_MS, type FileInfo, type LogId } from "../store.ts";
import type { Writing } from "./writing.ts";

const SLICE_FILES = 500;

/** By the log's id, or by the key of one that is being copied. */
export function keepFiles(
  { database, logs }: Writing,
  log: LogId | number,
  files: readonly string[],
  now: number,
): (FileInfo | undefined)[] {
  const key = typeof log === "number" ? log : logs.find(log)?.key;
  return files.map((file) => {
    const info = database.get<FileInfo>(
      "update file set look_at = max(look_at, ?) where id = ? returning id as file, name, type, bytes",
      now + FILE_UNNAMED_MS,
      file,
    );
    if (info && key !== undefined)
      database.run("insert or ignore into log_file (log, file) values (?, ?)", key, file);
    return info;
  });
}

/** With their log. */
export function leaveFiles({ database }: Pick<Writing, "database">, log: number, now: number): void {
  database.run(
    "update file set look_at = ? where id in (select file from log_file where log = ?)",
    now + FILE_LEFT_MS,
    log,
  );
  database.run("delete from log_file where log = ?", log);
}

/** A few of those that it is time to look at; false when there are none. The bytes go after them, as any that nobody has. */
export function sweepFiles({ database }: Writing, now: number): boolean {
  const due = database.all<{ id: string; blob: number; named: number }>(
    `select id, blob, exists (select 1 from log_file where log_file.file = file.id) as named
      from file where look_at <= ? limit ${SLICE_FILES}`,
    now,
  );
  for (const { id, blob, named } of due) {
    if (named) database.run("update file set look_at = ? where id = ?", now + FILE_NAMED_MS, id);
    else {
      database.run("delete from file where id = ?", id);
      database.run("update blob set at = 0 where key = ?", blob);
    }
  }
  return due.length > 0;
}
