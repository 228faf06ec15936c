// Work that a session gives to another. The child is made first, held; then the parent's log says that it waits for it;
// then the child is let go. So a child never ends before its parent knows of it, and each of the three can be done again.
import type { View } from "../session/view.ts";
import { titleFrom } from "../session/title.ts";
import type { Delegation } from "../tool/tool.ts";
import { storedText } from "../store/long-text.ts";
import { stopWork } from "../store/stop-work.ts";
import type { Store, Writer } from "../store/store.ts";
import { childId, inputId } from "./derived-ids.ts";
import type { HeldSession } from "./held-session.ts";
import { DELEGATES_KEEPER, GONE, returnDelegate } from "./return-delegate.ts";
import { endOfTurn } from "./turn-end.ts";

export interface Delegates {
  /** The child of this call, the same however often it is asked for. It does not begin before it is let go. */
  create(
    parent: HeldSession,
    call: string,
    delegation: Delegation,
  ): Promise<{ session: string } | { refused: string }>;
  /** For one whose log says by now that it waits for it. */
  begin(parent: string, child: string): Promise<void>;
  /** Asks it to stop; it ends in its own time. */
  stop(child: string): Promise<void>;
  /** Tells the session that it works for, if any, how it ended: once. */
  report(child: HeldSession): Promise<void>;
}

export type DelegatesOptions = {
  store: Store;
  /** The profile's name when there is such a one, else why not. */
  profile: (name: string) => { ok: true } | { ok: false; why: string };
  /** Where the parent works; its child works there too. */
  workspace: (parent: HeldSession) => Promise<{ path: string } | { refused: string }>;
};

const DEPTH_MAX = 3;

export function sessionDelegates(options: DelegatesOptions): Delegates {
  const { store } = options;
  return {
    create: (parent, call, delegation) => create(options, parent, call, delegation),
    begin: (parent, child) => begin(store, parent, child),
    stop: (child) => stopWork(store, child, (seq) => keeper(`stop:${child}:${seq}`)),
    report: ({ id, view }) => report(store, id, view),
  };
}

async function create(
  { store, profile: find, workspace }: DelegatesOptions,
  parent: HeldSession,
  call: string,
  { prompt, profile, background }: Delegation,
): Promise<{ session: string } | { refused: string }> {
  const { meta } = parent.view;
  const id = childId(parent.id, call);
  if (await store.head(id)) return { session: id };
  const named = profile ?? meta.profile;
  const found = find(named);
  if (!found.ok) return { refused: found.why };
  if ((await depthOf(store, parent.view)) >= DEPTH_MAX)
    return { refused: `Delegates can be nested at most ${DEPTH_MAX} deep: do this yourself.` };
  const place = await workspace(parent);
  if ("refused" in place) return place;
  const title = titleFrom(prompt);
  await store.createSession(
    {
      id,
      ...(title !== "" && { title }),
      profile: named,
      workspace: place.path,
      ...(meta.model !== null && named === meta.profile && { model: meta.model }),
      origin: { kind: "delegation", session: parent.id },
      first: [
        {
          type: "input_admitted",
          data: { input: inputId(id), kind: "prompt", text: await storedText(store, parent.id, prompt) },
        },
        { type: "queue_held", data: { reason: background ? "delegated in the background" : "delegated" } },
      ],
    },
    { keeper: DELEGATES_KEEPER }, // the child's log has epochs of its own, and in no log do they go down
  );
  return { session: id };
}

async function begin(store: Store, parent: string, child: string): Promise<void> {
  const begun = await store.append(child, [{ type: "queue_released", data: {} }], keeper(`begin:${child}`));
  // Deleted before its parent's log spoke of it: whoever told of that found nobody who waited.
  if (!begun.ok && begun.code === "not_found")
    return returnDelegate(store, child, parent, () => Promise.resolve(GONE));
  // A person may have let it go before its parent knew of it: then it was through with nobody to tell.
  const view = await store.view(child);
  if (view && !view.turn && view.queue.length === 0) await report(store, child, view);
}

/** How many sessions above this one wait for it, directly or not. */
async function depthOf(store: Store, view: View): Promise<number> {
  let depth = 0;
  for (let at: View | undefined = view; at && depth < DEPTH_MAX; depth++) {
    if (at.meta.origin?.kind !== "delegation") return depth;
    at = await store.view(at.meta.origin.session);
  }
  return depth;
}

/** To whom it belongs is its row's to say: that may have become another since it was made. */
async function report(store: Store, child: string, view: View): Promise<void> {
  if (view.meta.origin?.kind !== "delegation") return;
  const origin = (await store.session(child, ""))?.origin;
  if (origin?.kind === "delegation")
    await returnDelegate(store, child, origin.session, () => endOfTurn(store, view));
}

function keeper(key: string): Writer {
  return { by: "keeper", keeper: DELEGATES_KEEPER, key };
}
