import type { Done, NewRule, RuleRow } from "../store.ts";
import type { Database } from "./database.ts";
import { revoke, type Revocation } from "./revoke.ts";
import type { Writing } from "./writing.ts";

type RuleRecord = Omit<RuleRow, "createdAt"> & { created_at: number };

export function addRule({ database }: Writing, rule: NewRule, now: number): RuleRow {
  const { id, profile, tool, match, decision, shown = null } = rule;
  database.run(
    "insert or ignore into rule (id, profile, tool, match, decision, shown, created_at) values (?, ?, ?, ?, ?, ?, ?)",
    id,
    profile,
    tool,
    match,
    decision,
    shown,
    now,
  );
  const record = database.get<RuleRecord>(
    `${RULES} where profile = ? and tool = ? and match = ? and decision = ?`,
    profile,
    tool,
    match,
    decision,
  );
  if (!record) throw new RangeError(`a rule can't be named ${id}: another one has this name`);
  return ruleRow(record);
}

export function readRules(database: Database, profile: string | undefined): RuleRow[] {
  const records =
    profile === undefined
      ? database.all<RuleRecord>(`${RULES} order by id desc`)
      : database.all<RuleRecord>(`${RULES} where profile = ? order by id desc`, profile);
  return records.map(ruleRow);
}

export function removeRule(writing: Writing, ...revocation: Revocation): Done {
  return revoke(writing, "rule", ...revocation);
}

const RULES = "select id, profile, tool, match, decision, shown, created_at from rule";

function ruleRow({ created_at, ...rule }: RuleRecord): RuleRow {
  return { ...rule, createdAt: new Date(created_at).toISOString() };
}
