// The sessions that this tab follows, whatever it shows: those at work and those opened last. Going to one shows it at
// once, whole and current, and going away from one leaves nothing behind.
import { createEffect, createRoot, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import type { Client } from "../../src/client/commands.ts";
import type { Change } from "../../src/client/live.ts";
import type { Socket } from "../../src/client/socket.ts";
import type { SessionRow } from "../../src/protocol/http.ts";
import type { LongText } from "../../src/session/event.ts";
import type { Position } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { createAway, type Away } from "./away.ts";
import { openSession, type OpenSession } from "./open-session.ts";
import { createOutbox, newInput, type Outbox } from "./outbox.ts";

export type Followed = {
  readonly id: string;
  readonly session: OpenSession;
  readonly outbox: Outbox;
  readonly away: Away;
  /** Told of every change until the returned function is called. */
  onChange(hear: (change: Change) => void): () => void;
};

export type FollowedSessions = {
  /** Follows a session from now on; the same object for as long as it is followed. */
  follow: (session: string) => Followed;
  /** The view of a session that is followed anyway, for whoever says a word about it. */
  peek: (session: string) => View | undefined;
};

/** Of those opened last. */
export const OPENED_MAX = 20;
/** Of those at work, the newest first; beyond them a session is attached when it is opened. */
export const AT_WORK_MAX = 50;
const PAGE_MESSAGES = 100;

export function createFollowed(
  client: Client,
  socket: Pick<Socket, "attach">,
  rows: () => readonly SessionRow[],
  person: () => string,
): FollowedSessions {
  const followed = new Map<string, Followed>();
  /** Each rises when it comes or goes: the map itself tells nobody, and whoever peeks at one cares for no other. */
  const [changes, setChanges] = createStore<Record<string, number>>({});
  const tell = (id: string) => setChanges(id, (n = 0) => n + 1);
  /** The one opened last stands last. */
  let opened: readonly string[] = [];
  let atWork: readonly string[] = [];

  createEffect(() => {
    atWork = sessionsAtWork(rows(), atWork);
    untrack(() => {
      for (const id of atWork) if (!followed.has(id)) attach(id);
      leaveOthers();
    });
  });
  createEffect(() => {
    const read = rows().filter(({ unread }) => unread === 0);
    for (const { id, position } of read) untrack(() => followed.get(id)?.away.readElsewhere(position));
  });

  return {
    follow(session) {
      opened = [...opened.filter((id) => id !== session), session].slice(-OPENED_MAX);
      const known = followed.get(session);
      if (known?.session.refused) known.session.leave();
      const current = known && !known.session.refused ? known : attach(session);
      leaveOthers();
      return current;
    },
    peek(session) {
      void changes[session];
      return followed.get(session)?.session.view ?? undefined;
    },
  };

  function attach(id: string): Followed {
    const current = createRoot(() => follow(client, socket, id, person));
    followed.set(id, current);
    tell(id);
    return current;
  }

  function leaveOthers(): void {
    for (const [id, { session }] of followed) {
      if (opened.includes(id) || atWork.includes(id)) continue;
      session.leave();
      followed.delete(id);
      tell(id);
    }
  }
}

/** Those that we follow stay for as long as they work: lists of which each overtakes the other are not followed by turns. */
export function sessionsAtWork(rows: readonly SessionRow[], before: readonly string[]): readonly string[] {
  const working = rows.filter(({ status }) => status !== "idle" && status !== "ended").map(({ id }) => id);
  const kept = working.filter((id) => before.includes(id));
  const fresh = working.filter((id) => !before.includes(id));
  return [...kept, ...fresh].slice(0, AT_WORK_MAX);
}

function follow(client: Client, socket: Pick<Socket, "attach">, id: string, person: () => string): Followed {
  const hearers = new Set<(change: Change) => void>();
  const session = openSession(
    {
      attach: (deliver) => socket.attach(id, null, deliver),
      history: (where) => client.messages(id, { ...where, limit: PAGE_MESSAGES }),
    },
    (change) => {
      away.hear(change);
      hearers.forEach((hear) => hear(change));
    },
  );
  const away = createAway(() => session.view, person);
  const outbox = createOutbox({
    session: id,
    send: async (sent) => (await client.admitInput(id, newInput(sent), undefined, sent.key)).position,
    hasArrived: (position) => (session.view?.position ?? "") >= position,
    watchFor(text) {
      const since = session.view?.position ?? "";
      return () => inputsOf(session.view).some((input) => input.text === text && input.position > since);
    },
    upload: client.uploadFile,
    newKey: client.transport.newKey,
    position: () => session.view?.position ?? null,
    asks: () => session.view?.asks ?? [],
  });
  const onChange = (hear: (change: Change) => void) => {
    hearers.add(hear);
    return () => hearers.delete(hear);
  };
  return { id, session, outbox, away, onChange };
}

function inputsOf(view: View | null): { text: LongText; position: Position }[] {
  if (view === null) return [];
  return [...view.queue, ...view.messages.filter((message) => message.kind === "input")];
}
