// What came of work that a session gave to another, told to it once: as the result of its call, or as an input when it did
// not wait. A session that has a successor is told through that one, which waits in its place.
import type { LongText, NewFact } from "../session/event.ts";
import { seqOf } from "../session/position.ts";
import type { Delegate, View } from "../session/view.ts";
import { storedText } from "../store/long-text.ts";
import type { Store, Writer } from "../store/store.ts";
import { inputId } from "./derived-ids.ts";
import type { TurnEnd } from "./turn-end.ts";

export const DELEGATES_KEEPER = "delegates";
/** A session that changes under us as often as this is tried again later. */
const TRIES_MAX = 50;

export const GONE: TurnEnd = { outcome: "stopped", text: "The session that worked on this was deleted." };

/** `end` is asked for only if somebody waits for it; undefined when there is none yet. */
export async function returnDelegate(
  store: Store,
  child: string,
  parent: string,
  end: () => Promise<TurnEnd | undefined>,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const head = (await store.session(parent, ""))?.head ?? parent;
    const view = await store.view(head);
    const delegate = view && (await waitedFor(store, view, child));
    if (!delegate) return; // it was told, or stopped waiting
    const ended = await end();
    if (!ended) return;
    const text = await storedText(store, head, ended.text);
    const told = await store.append(head, factsOf(view, delegate, ended, text), writer(delegate.session), {
      expectSeq: seqOf(view.position),
    });
    if (told.ok || (told.code !== "moved" && told.code !== "ended")) return;
    if (told.code === "ended" && (await isLast(store, head))) return; // there is nobody left to tell
  }
  throw new Error(`${parent} changed too fast to be told what became of ${child}`);
}

/**
 * The child itself, or the one that it goes on for: a person went back in that before anybody was told of its end. Of a
 * child that is gone no row says for whom it went on, but one that has ended and has nobody left to go on for it does.
 */
async function waitedFor(store: Store, { delegates }: View, child: string): Promise<Delegate | undefined> {
  const itself = delegates.find(({ session }) => session === child);
  if (itself) return itself;
  const isGone = (await store.session(child, "")) === undefined;
  for (const delegate of delegates) {
    const head = (await store.session(delegate.session, ""))?.head;
    if (head === child) return delegate;
    if (isGone && head !== undefined && (await store.session(head, ""))?.status === "ended") return delegate;
  }
  return undefined;
}

/** Its end has no successor that is still there. */
async function isLast(store: Store, session: string): Promise<boolean> {
  const head = (await store.session(session, ""))?.head;
  return head === undefined || head === session;
}

function factsOf(parent: View, delegate: Delegate, { outcome }: TurnEnd, text: LongText): NewFact[] {
  const { session, call, background } = delegate;
  const returned: NewFact = { type: "delegate_returned", data: { session, call, outcome, summary: text } };
  if (!background) {
    const status = outcome === "completed" ? "ok" : outcome === "failed" ? "error" : "stopped";
    return [returned, { type: "tool_finished", data: { call, status, result: text } }];
  }
  // A queue that a person's stop holds stays held: this is not a person's word to go on.
  const held: NewFact[] = parent.held ? [{ type: "queue_held", data: { reason: "stopped" } }] : [];
  return [returned, arrived(session, outcome, text), ...held];
}

/** A steer, so that an agent that is at work hears of it before its next step. */
function arrived(session: string, outcome: TurnEnd["outcome"], text: LongText): NewFact {
  return {
    type: "input_admitted",
    data: {
      input: inputId(`${session} returned`),
      kind: "steer",
      text,
      delegate: { session, outcome },
    },
  };
}

function writer(child: string): Writer {
  return { by: "keeper", keeper: DELEGATES_KEEPER, key: `return:${child}` };
}
