// Where a page ended in a list that tells of each row by its id: that of its last row, which may be gone by the next page.
import type { IdPrefix } from "../session/ids.ts";

/** What stands behind the prefix; the longest are those of deeds that are made from what they are of. */
const ID_REST = /^[0-9a-z]{1,40}$/;

/** Whether the text can be one of ours. Whether such a row is there, or was, is not asked. */
export function isIdCursor(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ID_REST.test(text.slice(prefix.length + 1));
}
