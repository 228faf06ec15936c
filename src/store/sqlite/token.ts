import type { Deed } from "../../session/deed.ts";
import type { Command, Done, Store, Token } from "../store.ts";
import { once } from "./command.ts";
import type { Database } from "./database.ts";
import { noting } from "./deed.ts";
import { revoke, type Revocation } from "./revoke.ts";
import type { Writing } from "./writing.ts";

type Added = Awaited<ReturnType<Store["addToken"]>>;

export function addToken(
  writing: Writing,
  { id, person, kind, name, hash }: Parameters<Store["addToken"]>[0],
  now: number,
  command: Command | undefined,
  deed: Deed | undefined,
): Added {
  return once<Added>(writing, command, now, () => {
    writing.database.run(
      "insert into token (id, person, kind, name, hash, created_at) values (?, ?, ?, ?, ?, ?)",
      id,
      person,
      kind,
      name,
      hash,
      now,
    );
    return noting(writing, deed, now, {
      ok: true,
      token: { id, person, kind, name, createdAt: new Date(now).toISOString(), usedAt: null },
    });
  });
}

export function readTokens(database: Database): Token[] {
  return database
    .all<Omit<Token, "createdAt" | "usedAt"> & { created_at: number; used_at: number | null }>(
      "select id, person, kind, name, created_at, used_at from token order by id desc",
    )
    .map(({ created_at, used_at, ...token }) => ({
      ...token,
      createdAt: new Date(created_at).toISOString(),
      usedAt: used_at === null ? null : new Date(used_at).toISOString(),
    }));
}

export function revokeToken(writing: Writing, ...revocation: Revocation): Done {
  return revoke(writing, "token", ...revocation);
}
