// Which logs name which files, and the end of those that none names any more. Whoever names one changes its row: a sweep
// that could not see that sees the change, and leaves it. Rows are locked in one order.
import { FILE_LEFT_MS, FILE_NAMED_MS, FILE_UNNAMED_MS, type FileInfo, type LogId } from "../store.ts";
import { decidingMs, NOW_MS } from "./clock.ts";
import type { Context } from "./context.ts";
import type { Database, Transaction } from "./database.ts";
import { textArray } from "./wire.ts";

export async function keepFiles(
  { now }: Pick<Context, "now">,
  database: Database | Transaction,
  log: LogId,
  files: readonly string[],
): Promise<(FileInfo | undefined)[]> {
  if (files.length === 0) return [];
  const kept = await database.query<FileInfo>({
    text: `with locked as materialized (
        select id from file where id = any($2::text[]) order by id for update),
      kept as (
        update file set look_at = greatest(look_at, ${decidingMs("$3")} + ${FILE_UNNAMED_MS}) from locked
        where file.id = locked.id returning file.id as file, name, type, bytes),
      named as (
        insert into log_file (log, file, at) select $1, file, ${NOW_MS} from kept on conflict do nothing)
      select file, name, type, bytes from kept`,
    values: [log, textArray(files), now()],
  });
  return files.map((file) => kept.find((each) => each.file === file));
}

/** With their logs, all of them at once. */
export async function leaveFiles(
  { now }: Pick<Context, "now">,
  transaction: Transaction,
  logs: readonly LogId[],
): Promise<void> {
  await transaction.query({
    text: `with locked as materialized (
        select id from file where id in (select file from log_file where log = any($1::text[]))
        order by id for update),
      gone as (delete from log_file where log = any($1::text[]))
      update file set look_at = ${decidingMs("$2")} + ${FILE_LEFT_MS} from locked where file.id = locked.id`,
    values: [textArray(logs), now()],
  });
}

/** The bytes go after them, as any that nobody has. */
export const SWEEP_FILES = [
  `with due as materialized (
      select id from file where look_at <= ${decidingMs("$1")}
        and exists (select from log_file where log_file.file = file.id) order by id for update)
    update file set look_at = ${decidingMs("$1")} + ${FILE_NAMED_MS} from due where file.id = due.id`,
  `with due as materialized (
      select id from file where look_at <= ${decidingMs("$1")}
        and not exists (select from log_file where log_file.file = file.id) order by id for update)
    delete from file using due where file.id = due.id`,
];
