import type { Deed } from "../../session/deed.ts";
import type { Command, Credential, Done, Login, Store } from "../store.ts";
import { once } from "./command.ts";
import type { Database } from "./database.ts";
import { noting } from "./deed.ts";
import { revoke, type Revocation } from "./revoke.ts";
import type { Writing } from "./writing.ts";

/** Uses within this time are one. */
const USE_MS = 60_000;

type LoginRecord = Pick<Login, "id" | "person" | "device"> & {
  created_at: number;
  used_at: number;
  expires_at: number;
};

type Added = Awaited<ReturnType<Store["addLoginLink"]>>;

export function addLoginLink(
  writing: Writing,
  { hash, person, expiresAt }: Parameters<Store["addLoginLink"]>[0],
  now: number,
  command: Command | undefined,
  deed: Deed | undefined,
): Added {
  return once<Added>(writing, command, now, () => {
    writing.database.run(
      "insert into login_link (hash, person, expires_at) values (?, ?, ?)",
      hash,
      person,
      Date.parse(expiresAt),
    );
    return noting(writing, deed, now, { ok: true, expiresAt });
  });
}

export function redeemLoginLink(
  { database }: Writing,
  hash: string,
  { id, device, ttlMs, ...login }: Parameters<Store["redeemLoginLink"]>[1],
  now: number,
): Awaited<ReturnType<Store["redeemLoginLink"]>> {
  const link = database.get<{ person: string; expires_at: number }>(
    "delete from login_link where hash = ? returning person, expires_at",
    hash,
  );
  if (!link) return { ok: false, code: "unknown" };
  if (link.expires_at <= now) return { ok: false, code: "expired" };
  const { person } = link;
  database.run(
    "insert into login (id, person, device, hash, created_at, used_at, expires_at) values (?, ?, ?, ?, ?, ?, ?)",
    id,
    person,
    device,
    login.hash,
    now,
    now,
    now + ttlMs,
  );
  return {
    ok: true,
    login: loginOf({ id, person, device, created_at: now, used_at: now, expires_at: now + ttlMs }),
  };
}

export function readLogins(database: Database, person: string | undefined, now: number): Login[] {
  return database
    .all<LoginRecord>(
      `select id, person, device, created_at, used_at, expires_at from login
        where expires_at > ?1 and (?2 is null or person = ?2) order by id desc`,
      now,
      person ?? null,
    )
    .map(loginOf);
}

export function revokeLogin(writing: Writing, ...revocation: Revocation): Done {
  return revoke(writing, "login", ...revocation);
}

/** `idle`: its use is worth marking again. */
export function readCredential(
  database: Database,
  hash: string,
  now: number,
): { credential: Credential; idle: boolean } | undefined {
  const found = database.get<Credential & { used_at: number | null }>(
    `select id, person, kind, name as device, used_at from token where hash = ?1
      union all
      select id, person, 'login', device, used_at from login where hash = ?1 and expires_at > ?2`,
    hash,
    now,
  );
  if (!found) return undefined;
  const { used_at, ...credential } = found;
  return { credential, idle: used_at === null || used_at <= now - USE_MS };
}

export function markUse(
  { database }: Writing,
  { id, kind }: Credential,
  loginTtlMs: number,
  now: number,
): void {
  if (kind !== "login") database.run("update token set used_at = ? where id = ?", now, id);
  else database.run("update login set used_at = ?, expires_at = ? where id = ?", now, now + loginTtlMs, id);
}

function loginOf({ id, person, device, created_at, used_at, expires_at }: LoginRecord): Login {
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    id,
    person,
    device,
    createdAt: time(created_at),
    usedAt: time(used_at),
    expiresAt: time(expires_at),
  };
}
