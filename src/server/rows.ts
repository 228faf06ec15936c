// A session's row as it goes over the wire: as it lies in the store, unless its log is damaged or its turn was given up. Then
// nobody goes on with it, whatever the row says, and a person should open it to see why.
import type { SessionRow } from "../protocol/http.ts";
import { isGivenUp } from "../session/row.ts";
import type { SessionRow as StoredRow } from "../store/store.ts";
import type { KnownDamage } from "./known-damage.ts";

export function wireRow(row: StoredRow, damage: KnownDamage): SessionRow {
  if (isGivenUp(row.status, row.attention)) return { ...row, status: "idle" };
  if (row.status === "ended" || !damage.has(row.id)) return row;
  return { ...row, status: "idle", attention: { kind: "failed", count: 1 } };
}
