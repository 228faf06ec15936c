// Why an append was refused: looked up afterwards, since hardly any are. None of the reasons passes by itself, but for
// a log that was not there yet.
import { formatPosition, type Position } from "../../session/position.ts";
import type { Appended, LogId } from "../store.ts";
import type { Waiting } from "./append-group.ts";
import type { Database } from "./database.ts";
import { textArray } from "./wire.ts";

/** Undefined where nothing speaks against the append any more. */
export async function explainRefusals(
  database: Database,
  refused: readonly Waiting[],
): Promise<(Appended | undefined)[]> {
  const [logs, commands] = await Promise.all([readLogs(database, refused), readCommands(database, refused)]);
  return refused.map((waiting) => {
    const { key } = waiting;
    const command = key && commands.get(commandName(key.scope, key.key));
    if (key && command)
      return command.digest === key.digest ? replayed(command) : { ok: false, code: "key_reused" };
    return explain(waiting, logs.get(waiting.log));
  });
}

type LogRecord = {
  id: LogId;
  seq: number;
  sub: number;
  closed: boolean;
  epoch: number;
  holder: string | null;
  successor: string | null;
};
type CommandRecord = { scope: string; key: string; digest: string; result: string };

function explain({ writer, expectSeq }: Waiting, log: LogRecord | undefined): Appended | undefined {
  if (!log) return { ok: false, code: "not_found" };
  if (log.closed) return { ok: false, code: "ended", successor: log.successor };
  if (writer.by === "executor" && (writer.lease.epoch !== log.epoch || writer.lease.holder !== log.holder))
    return { ok: false, code: "lease_lost" };
  if (expectSeq !== undefined && expectSeq !== log.seq)
    return { ok: false, code: "moved", position: formatPosition(log.seq, log.sub) };
  return undefined;
}

function replayed({ result }: CommandRecord): Appended {
  const kept = JSON.parse(result) as { position: Position; note?: unknown }; // our own writing
  return { ...kept, ok: true, replayed: true };
}

async function readLogs(database: Database, refused: readonly Waiting[]): Promise<Map<LogId, LogRecord>> {
  const records = await database.query<LogRecord>({
    text: `select log.id, log.seq, log.sub, log.closed, log.epoch, log.holder, session.successor
      from log left join session on session.id = log.id
      where log.id = any($1::text[])`,
    values: [textArray(refused.map(({ log }) => log))],
  });
  return new Map(records.map((record) => [record.id, record]));
}

async function readCommands(
  database: Database,
  refused: readonly Waiting[],
): Promise<Map<string, CommandRecord>> {
  const keys = refused.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return new Map();
  const records = await database.query<CommandRecord>({
    text: `select command.scope, command.key, digest, result
      from unnest($1::text[], $2::text[]) as asked (scope, key)
      join command on command.scope = asked.scope and command.key = asked.key`,
    values: [textArray(keys.map(({ scope }) => scope)), textArray(keys.map(({ key }) => key))],
  });
  return new Map(records.map((record) => [commandName(record.scope, record.key), record]));
}

function commandName(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}
