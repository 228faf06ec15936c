// Reads every event and holds it against its checksum, and every log against its row: what doctor prints.
import { formatPosition, type Position } from "../../session/position.ts";
import { isIntact } from "../event-text.ts";
import type { LogId, Store } from "../store.ts";
import type { Database } from "./database.ts";

const PAGE_ROWS = 500;
const FOUND_MAX = 1_000;
/** These read whole tables. */
const STATEMENT_MS = 600_000;

type Report = Awaited<ReturnType<Store["check"]>>;
type Stored = { log: LogId; seq: number; sub: number; crc: number; text: string };

export async function check(database: Database): Promise<Report> {
  const report: Report = { events: 0, damaged: [], problems: [] };
  await checkTable(database, "event", report);
  await checkTable(database, "draft", report);
  for (const problem of PROBLEMS) {
    const text = `${problem} limit ${FOUND_MAX}`;
    const rows = await database.transaction((step) => step.query<{ problem: string }>({ text }), {
      statementMs: STATEMENT_MS,
    });
    report.problems.push(...rows.map((row) => row.problem));
  }
  return report;
}

async function checkTable(database: Database, table: "event" | "draft", report: Report): Promise<void> {
  const sub = table === "event" ? "0::bigint" : "sub";
  let last: Pick<Stored, "log" | "seq" | "sub"> = { log: "", seq: 0, sub: 0 };
  while (true) {
    const page = await database.query<Stored>({
      text: `select log, seq, ${sub} as sub, crc, text from ${table}
        where (log, seq, ${sub}) > ($1, $2, $3) order by log, seq, ${sub} limit ${PAGE_ROWS}`,
      values: [last.log, last.seq, last.sub],
    });
    for (const { log, seq, sub, crc, text } of page) {
      const position: Position = formatPosition(seq, sub);
      if (!isIntact(position, text, crc) && report.damaged.length < FOUND_MAX)
        report.damaged.push({ log, position });
    }
    report.events += page.length;
    const end = page.at(-1);
    if (!end || page.length < PAGE_ROWS) return;
    last = end;
  }
}

const PROBLEMS = [
  `select 'log ' || log.id || ' has ' || coalesce(facts.count, 0) || ' facts up to ' || coalesce(facts.last, 0)
      || ', its row says ' || log.seq as problem
    from log left join (select log, count(*) as count, max(seq) as last from event group by log) as facts on facts.log = log.id
    where coalesce(facts.count, 0) <> log.seq or coalesce(facts.last, 0) <> log.seq order by log.id`,
  `select 'log ' || log.id || ' has a draft at ' || max(draft.sub) || ', its row says ' || log.sub as problem
    from log join draft on draft.log = log.id and draft.seq = log.seq
    group by log.id, log.sub having max(draft.sub) > log.sub order by log.id`,
  `select 'events of ' || log || ' belong to no log' as problem
    from (select distinct log from event union select distinct log from draft) as written
    where not exists (select from log where log.id = written.log)
      and not exists (select from purge where purge.log = written.log) order by log`,
  `select 'session ' || session.id || ' has no log' as problem
    from session where not exists (select from log where log.id = session.id) order by id`,
  `select 'log ' || id || ' has no session' as problem
    from log where kind = 'session' and not exists (select from session where session.id = log.id) order by id`,
];
