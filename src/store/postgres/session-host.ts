// The host that a session's work belongs to, and its change by a person's word.
import type { SessionHost, Store } from "../store.ts";
import type { Context } from "./context.ts";
import { isNodeGone } from "./liveness.ts";

export async function sessionHost({ database, host }: Context, id: string): Promise<SessionHost | undefined> {
  const [found] = await database.query<{ host: string | null; lost: boolean }>({
    text: `select host, host is not null and ${isHostLost("session.host")} as lost from session where id = $1`,
    values: [id],
  });
  return found && { ...found, here: host };
}

/** The condition stands in the write: a host that came back meanwhile keeps its session. */
export async function moveSession(context: Context, id: string): ReturnType<Store["moveSession"]> {
  const { database, host } = context;
  const moved = await database.query({
    text: `update session set host = $2
      where id = $1 and (host is null or host = $2 or ${isHostLost("session.host")}) returning id`,
    values: [id, host],
  });
  if (moved.length > 0) return { ok: true };
  return { ok: false, code: (await sessionHost(context, id)) ? "host_alive" : "not_found" };
}

/** None of its nodes is there: whether what it ran still runs, nobody can tell. */
export function isHostLost(host: string): string {
  return `not exists (select from node where node.host = ${host} and not ${isNodeGone("node.id")})`;
}
