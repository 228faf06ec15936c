import type { Deed } from "../../session/deed.ts";
import type { Command, Done, Store, Token } from "../store.ts";
import { NOW_S } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import type { Queryable } from "./database.ts";
import { noting } from "./deed.ts";

type TokenRecord = Omit<Token, "createdAt" | "usedAt"> & { created_at: number; used_at: number | null };

export async function addToken(
  { database, clock }: Context,
  { id, person, kind, name, hash }: Parameters<Store["addToken"]>[0],
  command?: Command,
  deed?: Deed,
): Promise<Awaited<ReturnType<Store["addToken"]>>> {
  const at = clock();
  return database.transaction(
    (transaction) =>
      once(transaction, command, async () => {
        await transaction.query({
          text: "insert into token (id, person, kind, name, hash, created_at) values ($1, $2, $3, $4, $5, $6)",
          values: [id, person, kind, name, hash, at],
        });
        const token: Token = { id, person, kind, name, createdAt: new Date(at).toISOString(), usedAt: null };
        return noting(transaction, deed, at, { ok: true, token } as const);
      }),
    { repeatable: command !== undefined },
  );
}

export async function readTokens(database: Queryable): Promise<Token[]> {
  const records = await database.query<TokenRecord>({
    text: "select id, person, kind, name, created_at, used_at from token order by id desc",
  });
  return records.map(({ created_at, used_at, ...token }) => ({
    ...token,
    createdAt: new Date(created_at).toISOString(),
    usedAt: used_at === null ? null : new Date(used_at).toISOString(),
  }));
}

export function revokeToken(context: Context, ...revocation: Revocation): Promise<Done> {
  return revoke(context, "token", ...revocation);
}

export type Revocation = [id: string, command?: Command, deed?: Deed];

/** The mark that it is gone lets a node that missed the hint close what it has open. */
export async function revoke(
  { database, clock, revoked }: Context,
  table: "token" | "login",
  ...[id, command, deed]: Revocation
): Promise<Done> {
  const done = await database.transaction(
    (transaction) =>
      once<Done>(transaction, command, async () => {
        const gone = await transaction.query({
          text: `with deleted as (delete from ${table} where id = $1 returning id)
            insert into gone (id, touched) select id, ${NOW_S} from deleted returning id`,
          values: [id],
        });
        const result: Done = gone.length > 0 ? { ok: true } : { ok: false, code: "not_found" };
        return noting(transaction, deed, clock(), result);
      }),
    { repeatable: command !== undefined },
  );
  if (done.ok) revoked(id);
  return done;
}
