// An ask's name and, where its profile bounds how long it waits, its time. The timer is set before the ask is a fact: one
// too many finds nothing to do, one too few would leave an ask open for ever.
import type { FactData } from "../session/event.ts";
import { askTimer } from "../session/asks.ts";
import type { Store } from "../store/store.ts";

export type NewAsk = Pick<FactData<"ask_opened">, "ask" | "expires">;

export async function newAsk(
  store: Pick<Store, "setTimer">,
  session: string,
  ask: string,
  expiresAtMs: number | undefined,
): Promise<NewAsk> {
  if (expiresAtMs === undefined) return { ask };
  const expires = new Date(expiresAtMs).toISOString();
  await store.setTimer({ key: askTimer(ask), log: session, dueAt: expires });
  return { ask, expires };
}
