import type { Deed } from "../../session/deed.ts";
import type { Command, Credential, Done, Login, Store } from "../store.ts";
import { decidingMs } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import { noting } from "./deed.ts";
import { revoke, type Revocation } from "./token.ts";

/** Uses within this time are one. */
const USE_MS = 60_000;

type LoginRecord = Pick<Login, "id" | "person" | "device"> & {
  created_at: number;
  used_at: number;
  expires_at: number;
};

export async function addLoginLink(
  { database, clock }: Context,
  { hash, person, expiresAt }: Parameters<Store["addLoginLink"]>[0],
  command?: Command,
  deed?: Deed,
): Promise<Awaited<ReturnType<Store["addLoginLink"]>>> {
  return database.transaction(
    (transaction) =>
      once(transaction, command, async () => {
        await transaction.query({
          text: "insert into login_link (hash, person, expires_at) values ($1, $2, $3)",
          values: [hash, person, Date.parse(expiresAt)],
        });
        return noting(transaction, deed, clock(), { ok: true, expiresAt } as const);
      }),
    { repeatable: command !== undefined },
  );
}

/** Of two that redeem it at once, the delete lets one through. */
export async function redeemLoginLink(
  { database, now }: Context,
  hash: string,
  login: Parameters<Store["redeemLoginLink"]>[1],
): Promise<Awaited<ReturnType<Store["redeemLoginLink"]>>> {
  const [redeemed] = await database.query<{ expired: boolean } & Partial<LoginRecord>>({
    text: `with clock as materialized (select ${decidingMs("$1")} as ms),
      link as (delete from login_link where hash = $2 returning person, expires_at <= (select ms from clock) as expired),
      made as (
        insert into login (id, person, device, hash, created_at, used_at, expires_at)
        select $3, link.person, $4, $5, clock.ms, clock.ms, clock.ms + $6::bigint from link, clock where not link.expired
        returning id, person, device, created_at, used_at, expires_at)
      select link.expired, made.* from link left join made on true`,
    values: [now(), hash, login.id, login.device, login.hash, login.ttlMs],
  });
  if (!redeemed) return { ok: false, code: "unknown" };
  if (redeemed.expired) return { ok: false, code: "expired" };
  return { ok: true, login: loginOf(redeemed as LoginRecord) }; // made, since it had not expired
}

export async function readLogins({ database, now }: Context, person?: string): Promise<Login[]> {
  const records = await database.query<LoginRecord>({
    text: `select id, person, device, created_at, used_at, expires_at from login
      where expires_at > ${decidingMs("$1")} and ($2::text is null or person = $2) order by id desc`,
    values: [now(), person ?? null],
  });
  return records.map(loginOf);
}

export function revokeLogin(context: Context, ...revocation: Revocation): Promise<Done> {
  return revoke(context, "login", ...revocation);
}

export async function readCredential(
  { database, now }: Context,
  hash: string,
  loginTtlMs: number,
): Promise<Credential | undefined> {
  const [found] = await database.query<Credential & { idle: boolean }>({
    name: "credential",
    text: `with clock as materialized (select ${decidingMs("$2")} as ms)
      select id, person, kind, name as device, coalesce(used_at + ${USE_MS} <= ms, true) as idle
      from token, clock where hash = $1
      union all
      select id, person, 'login', device, used_at + ${USE_MS} <= ms from login, clock where hash = $1 and expires_at > ms`,
    values: [hash, now()],
  });
  if (!found) return undefined;
  const { idle, ...credential } = found;
  if (idle) await markUse({ database, now }, credential, loginTtlMs);
  return credential;
}

async function markUse(
  { database, now }: Pick<Context, "database" | "now">,
  { id, kind }: Credential,
  loginTtlMs: number,
): Promise<void> {
  if (kind !== "login")
    await database.query({
      text: `update token set used_at = ${decidingMs("$2")} where id = $1`,
      values: [id, now()],
    });
  else
    await database.query({
      text: `update login set used_at = ${decidingMs("$2")}, expires_at = ${decidingMs("$2")} + $3::bigint where id = $1`,
      values: [id, now(), loginTtlMs],
    });
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
