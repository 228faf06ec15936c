// The sessions that this tab follows: those opened last, so that going back to one shows it at once, whole and current.
import { createRoot } from "solid-js";
import type { Client } from "../../src/client/commands.ts";
import type { Change } from "../../src/client/live.ts";
import type { Socket } from "../../src/client/socket.ts";
import { openSession, type OpenSession } from "./open-session.ts";
import { createOutbox, newInput, type Outbox } from "./outbox.ts";

export type Followed = {
  readonly id: string;
  readonly session: OpenSession;
  readonly outbox: Outbox;
  /** Told of every change for as long as the session is on screen. */
  onChange(hear: (change: Change) => void): () => void;
};

export const FOLLOWED_MAX = 20;
const PAGE_MESSAGES = 50;

export function createFollowed(client: Client, socket: Socket): (session: string) => Followed {
  /** In the order in which they were opened last. */
  const followed = new Map<string, Followed>();

  return (session) => {
    const known = followed.get(session);
    followed.delete(session);
    const current =
      known && !known.session.refused ? known : createRoot(() => follow(client, socket, session));
    if (known && known !== current) known.session.leave();
    followed.set(session, current);
    for (const [id, oldest] of followed) {
      if (followed.size <= FOLLOWED_MAX) break;
      oldest.session.leave();
      followed.delete(id);
    }
    return current;
  };
}

function follow(client: Client, socket: Socket, id: string): Followed {
  const hearers = new Set<(change: Change) => void>();
  const session = openSession(
    {
      attach: (deliver) => socket.attach(id, null, deliver),
      history: (before) => client.messages(id, { before, limit: PAGE_MESSAGES }),
    },
    (change) => hearers.forEach((hear) => hear(change)),
  );
  const outbox = createOutbox({
    session: id,
    send: async (sent) => (await client.admitInput(id, newInput(sent), undefined, sent.key)).position,
    hasArrived: (position) => (session.view?.position ?? "") >= position,
    upload: client.uploadFile,
    newKey: client.transport.newKey,
  });
  const onChange = (hear: (change: Change) => void) => {
    hearers.add(hear);
    return () => hearers.delete(hear);
  };
  return { id, session, outbox, onChange };
}
