import type { Deed } from "../../session/deed.ts";
import type { Command, Done } from "../store.ts";
import { once } from "./command.ts";
import { noting } from "./deed.ts";
import type { Writing } from "./writing.ts";

export type Revocation = [id: string, now: number, command: Command | undefined, deed: Deed | undefined];

export function revoke(
  writing: Writing,
  table: "token" | "login" | "rule",
  ...[id, now, command, deed]: Revocation
): Done {
  return once<Done>(writing, command, now, () => {
    const gone = writing.database.changes(`delete from ${table} where id = ?`, id);
    return noting<Done>(writing, deed, now, gone > 0 ? { ok: true } : { ok: false, code: "not_found" });
  });
}
