import type { Deed } from "../../session/deed.ts";
import type { Command, Done, NewRule, RuleRow } from "../store.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import type { Queryable } from "./database.ts";
import { noting } from "./deed.ts";

type RuleRecord = Omit<RuleRow, "createdAt"> & { created_at: number };

export async function addRule({ database, clock }: Context, rule: NewRule): Promise<RuleRow> {
  const { id, profile, tool, match, decision, shown = null } = rule;
  // Done again it changes nothing, so a lost connection is no reason not to know.
  return database.transaction(
    async (transaction) => {
      await transaction.query({
        text: `insert into rule (id, profile, tool, match, decision, shown, created_at)
          values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
        values: [id, profile, tool, match, decision, shown, clock()],
      });
      const [record] = await transaction.query<RuleRecord>({
        text: `${RULES} where profile = $1 and tool = $2 and match = $3 and decision = $4`,
        values: [profile, tool, match, decision],
      });
      if (!record) throw new RangeError(`a rule can't be named ${id}: another one has this name`);
      return ruleRow(record);
    },
    { repeatable: true },
  );
}

export async function readRules(database: Queryable, profile: string | undefined): Promise<RuleRow[]> {
  const records = await database.query<RuleRecord>({
    text: `${RULES} where $1::text is null or profile = $1 order by id desc`,
    values: [profile ?? null],
  });
  return records.map(ruleRow);
}

export function removeRule(
  { database, clock }: Context,
  id: string,
  command?: Command,
  deed?: Deed,
): Promise<Done> {
  return database.transaction(
    (transaction) =>
      once<Done>(transaction, command, async () => {
        const removed = await transaction.query({
          text: "delete from rule where id = $1 returning id",
          values: [id],
        });
        const result: Done = removed.length > 0 ? { ok: true } : { ok: false, code: "not_found" };
        return noting(transaction, deed, clock(), result);
      }),
    { repeatable: command !== undefined },
  );
}

const RULES = "select id, profile, tool, match, decision, shown, created_at from rule";

function ruleRow({ created_at, ...rule }: RuleRecord): RuleRow {
  return { ...rule, createdAt: new Date(created_at).toISOString() };
}
