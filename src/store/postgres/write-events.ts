// Writing the first events of a log that only this transaction can see: their positions are known beforehand.
import { formatPosition } from "../../session/position.ts";
import type { Batch, Entry } from "../batch.ts";
import { eventText } from "../event-text.ts";
import type { LogId, LogKind } from "../store.ts";
import { plainWords } from "../words.ts";
import { NOW_S } from "./clock.ts";
import { openAsks } from "./ask.ts";
import type { Transaction } from "./database.ts";
import { countUsage } from "./usage.ts";
import { bigintArray, textArray } from "./wire.ts";

/** Of a row that was just made. */
export const FIRST_REV = 1;

/** False when there is a log of this id already, or what one has left. */
export async function insertLog(
  transaction: Transaction,
  id: LogId,
  kind: LogKind,
  end: { seq: number; sub: number; closed: boolean },
): Promise<boolean> {
  const made = await transaction.query({
    text: `insert into log (id, kind, seq, sub, closed, touched) select $1, $2, $3, $4, $5, ${NOW_S}
      where not exists (select from purge where log = $1)
      on conflict do nothing returning id`,
    values: [id, kind, end.seq, end.sub, end.closed],
  });
  return made.length > 0;
}

/** `batch` follows the event at `seq` and `sub`. */
export async function writeEvents(
  transaction: Transaction,
  log: LogId,
  batch: Batch,
  seq = 0,
  sub = 0,
): Promise<void> {
  const facts = batch.entries.filter(({ owner }) => owner === null);
  await transaction.query({
    text: `insert into event (log, seq, crc, tally, author, text)
      select $1, * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])`,
    values: [
      log,
      bigintArray(facts.map((fact) => seq + fact.facts)),
      bigintArray(facts.map(({ crc }) => crc)),
      textArray(facts.map(({ tally }) => tally)),
      textArray(facts.map(({ author }) => author)),
      textArray(facts.map((fact) => eventText(formatPosition(seq + fact.facts, 0), fact.body))),
    ],
  });
  await openAsks(transaction, log, batch.asks);
  await countUsage(transaction, log, batch.usage);
  const found = facts.flatMap((fact) => (fact.search === null ? [] : [{ ...fact, search: fact.search }]));
  if (found.length > 0)
    await transaction.query({
      text: "insert into search_new (log, seq, words) select $1, * from unnest($2::bigint[], $3::text[])",
      values: [
        log,
        bigintArray(found.map((fact) => seq + fact.facts)),
        textArray(found.map(({ search }) => plainWords(search))),
      ],
    });
  const drafts = batch.entries.filter(({ owner }) => owner !== null);
  if (drafts.length > 0) await writeDrafts(transaction, log, drafts, seq, sub);
  if (batch.sweeps.length > 0)
    await transaction.query({
      text: "delete from draft where log = $1 and owner = any($2::text[])",
      values: [log, textArray(batch.sweeps)],
    });
}

async function writeDrafts(
  transaction: Transaction,
  log: LogId,
  drafts: readonly Entry[],
  seq: number,
  sub: number,
): Promise<void> {
  const subOf = (draft: Entry) => draft.drafts + (draft.facts === 0 ? sub : 0);
  await transaction.query({
    text: `insert into draft (log, seq, sub, crc, owner, text)
      select $1, * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])`,
    values: [
      log,
      bigintArray(drafts.map((draft) => seq + draft.facts)),
      bigintArray(drafts.map(subOf)),
      bigintArray(drafts.map(({ crc }) => crc)),
      textArray(drafts.map(({ owner }) => owner)),
      textArray(
        drafts.map((draft) => eventText(formatPosition(seq + draft.facts, subOf(draft)), draft.body)),
      ),
    ],
  });
}
