import { COMMAND_KEPT_MS, DEEDS_KEPT } from "../store.ts";
import { decidingMs, NOW_MS, NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";
import type { Value } from "./database.ts";
import { purge } from "./delete-session.ts";
import { isNodeGone } from "./liveness.ts";
import { SWEEP_FILES } from "./named-files.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STATEMENT_MS = 120_000;

/**
 * What deletions that were cut short have left, too. Each by itself: what one of them can't do is no reason not to do the
 * others, and is told when they are done.
 */
export async function tidy({ database, now }: Context): Promise<void> {
  const real = [
    // A statement may still be on its way as long as its connection is; see append-queue.ts.
    `delete from batch where at < ${NOW_MS} - ${DAY_MS}`,
    `delete from gone where touched < ${NOW_S} - ${HOUR_MS / 1000}`,
    `delete from node where heartbeat_at < ${NOW_MS} - ${DAY_MS} and ${isNodeGone("id")}`,
    `delete from deed where seq <= (select max(seq) from deed) - ${DEEDS_KEPT}`,
    // Of logs that are gone; one that is put before its log is made has a day.
    `delete from log_blob where at < ${NOW_MS} - ${DAY_MS} and not exists (select from log where log.id = log_blob.log)`,
    `delete from log_file where at < ${NOW_MS} - ${DAY_MS} and not exists (select from log where log.id = log_file.log)`,
    // Whoever puts one just now changes its row: it no longer matches, though this statement can't see the new reference.
    `with orphan as materialized (
        select id, puts from blob where not exists (select from log_blob where log_blob.blob = blob.id)),
      unused as materialized (
        select blob.id from blob join orphan on orphan.id = blob.id
        where blob.puts = orphan.puts order by blob.id for update of blob)
      delete from blob using unused where blob.id = unused.id`,
  ];
  const deciding = [
    `delete from command where log is null and at < ${decidingMs("$1")} - ${COMMAND_KEPT_MS}`,
    `delete from process_request where outcome is not null and at < ${decidingMs("$1")} - ${COMMAND_KEPT_MS}`,
    `delete from login_link where expires_at <= ${decidingMs("$1")}`,
    `delete from login where expires_at <= ${decidingMs("$1")}`,
    ...SWEEP_FILES,
    `delete from file_chunk where at < ${decidingMs("$1")} - ${DAY_MS}
      and not exists (select from file where file.id = file_chunk.file)`,
  ];
  const cutShort = await database.query<{ log: string }>({
    text: `select log from purge where copying_until is null or copying_until < ${NOW_MS}`,
  });
  const run = (text: string, values: Value[]) =>
    database.transaction((step) => step.query({ text, values }), { statementMs: STATEMENT_MS });
  const steps = [
    ...cutShort.map(
      ({ log }) =>
        () =>
          purge(database, log),
    ),
    ...real.map((text) => () => run(text, [])),
    ...deciding.map((text) => () => run(text, [now()])),
  ];
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
