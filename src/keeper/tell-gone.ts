// A session that worked for another was deleted: the other is told, and goes on without it.
import { GONE, returnDelegate } from "../executor/return-delegate.ts";
import { goneOfTimer } from "../session/gone-delegate.ts";
import type { Store, Timer } from "../store/store.ts";

/** True when the timer has done its work. */
export async function tellGone(store: Store, { key, log: parent }: Timer): Promise<boolean> {
  const child = goneOfTimer(key);
  if (child === undefined) return false;
  await returnDelegate(store, child, parent, () => Promise.resolve(GONE));
  return true;
}
