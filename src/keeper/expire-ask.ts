// An ask whose time is over is closed and its call denied, in one append: unless an answer was there first.
import { askOfTimer } from "../session/asks.ts";
import type { NewFact } from "../session/event.ts";
import { seqOf } from "../session/position.ts";
import type { Store, Timer } from "../store/store.ts";

const TRIES_MAX = 20;

/** True when the timer has done its work. */
export async function expireAsk(
  store: Pick<Store, "view" | "append">,
  { key, log: session }: Timer,
): Promise<boolean> {
  const ask = askOfTimer(key);
  if (ask === undefined) return false;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const view = await store.view(session);
    const open = view?.asks.find((candidate) => candidate.ask === ask);
    if (!view || !open) return true; // answered, withdrawn, or it never came to be
    const { kind, call } = open;
    const denied: NewFact[] =
      call === undefined
        ? []
        : [{ type: "tool_finished", data: { call, status: "denied", result: "Nobody answered in time." } }];
    const closed = await store.append(
      session,
      [{ type: "ask_closed", data: { ask, kind, reason: "expired" } }, ...denied],
      { by: "keeper", keeper: "asks", key },
      { expectSeq: seqOf(view.position) },
    );
    if (closed.ok || closed.code !== "moved") return true;
  }
  return false; // a session that changes so fast is looked at again
}
