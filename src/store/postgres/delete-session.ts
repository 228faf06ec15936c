import type { Status } from "../../session/row.ts";
import type { Deleted } from "../store.ts";
import { NOW_S } from "./clock.ts";
import type { Context } from "./context.ts";
import { orphanProcesses } from "./process.ts";

/** Work is at hand or waits for somebody. */
const LIVE: ReadonlySet<Status> = new Set(["queued", "running", "waiting", "recovering"]);

/** A million events take a while. */
const STATEMENT_MS = 120_000;

/** Blobs stay until `tidy` finds that nobody refers to them. */
const TABLES = [
  ["event", "log"],
  ["draft", "log"],
  ["snapshot", "log"],
  ["seen", "session"],
  ["timer", "log"],
  ["log_blob", "log"],
  ["command", "log"],
  ["ask", "session"],
  ["session", "id"],
  ["log", "id"],
] as const;

export async function deleteSession(
  { database, changed }: Context,
  id: string,
  { force }: { force: boolean },
): Promise<Deleted> {
  const deleted = await database.transaction(
    async (transaction): Promise<Deleted> => {
      const [session] = await transaction.query<{ status: Status; processes: number }>({
        text: `select session.status,
            (select count(*) from process where process.session = $1 and process.status = 'running') as processes
          from log join session on session.id = log.id where log.id = $1 for update of log`,
        values: [id],
      });
      if (!session) return { ok: false, code: "not_found" };
      const { status, processes } = session;
      if (!force && (LIVE.has(status) || processes > 0))
        return { ok: false, code: "live", status, processes };
      await orphanProcesses(transaction, id);
      for (const [table, column] of TABLES)
        await transaction.query({ text: `delete from ${table} where ${column} = $1`, values: [id] });
      await transaction.query({ text: `insert into gone (id, touched) values ($1, ${NOW_S})`, values: [id] });
      return { ok: true };
    },
    { statementMs: STATEMENT_MS },
  );
  if (deleted.ok) changed(id);
  return deleted;
}
