// A session's row as it goes over the wire.
import type { SessionRow } from "../protocol/http.ts";
import type { SessionRow as StoredRow } from "../store/store.ts";

export function wireRow(row: StoredRow): SessionRow {
  return { ...row, processes: 0 }; // nothing starts processes yet
}
