// All that a tab knows, over one socket: the connection, the list, the sessions that it follows. Pages only read it.
import {
  createContext,
  createEffect,
  createMemo,
  createSignal,
  onCleanup,
  untrack,
  useContext,
  type Accessor,
} from "solid-js";
import { createClient, type Client } from "../../src/client/commands.ts";
import { connect } from "../../src/client/connect.ts";
import type { Connection } from "../../src/client/connection.ts";
import type { Socket } from "../../src/client/socket.ts";
import { titleFrom } from "../../src/session/title.ts";
import { createAnswers, type Answering } from "./answers.ts";
import { createAsks, type Asks } from "./asks.ts";
import { createClock, type Clock } from "./clock.ts";
import { createDeletions, type Deletions } from "./deletions.ts";
import { createFollowed, type FollowedSessions } from "./followed.ts";
import { clearKeptAnswers } from "./kept-answers.ts";
import { createLost, type Lost } from "./lost.ts";
import { chosenOptions } from "./new-options.ts";
import { onceAFrame } from "./once-a-frame.ts";
import { createOutbox, newInput, type Outbox, type Sent } from "./outbox.ts";
import { createProfiles, type Profiles } from "./profiles.ts";
import { createSessionList, type SessionList } from "./session-list.ts";
import { sessionPath } from "../address.ts";
import { watchedFetch } from "../notices/turned-away.ts";
import { navigate } from "../route.ts";

export type Dashboard = FollowedSessions &
  Clock &
  Lost & {
    client: Client;
    connection: Accessor<Connection>;
    reconnect: () => void;
    /** Whoever is logged in here, once the server has said so. */
    person: Accessor<string | undefined>;
    profiles: Profiles;
    list: SessionList;
    asks: Asks;
    deletions: Deletions;
    /** What this tab is about to answer to an ask. */
    answering: (ask: string) => Answering;
    /** What runs, and what it says, for whoever looks at it. */
    processes: Pick<Socket, "watchProcesses" | "followOutput">;
    /** The composer of a session that does not exist yet. */
    begin: Outbox;
  };

export function createDashboard(): Dashboard {
  const client = createClient({ fetch: watchedFetch });
  const socket = connect(client);
  onCleanup(() => socket.close());

  const [connection, setConnection] = createSignal(socket.connection);
  onCleanup(socket.onConnection(setConnection));
  const person = createMemo((before: string | undefined) => {
    const now = connection();
    return now.state === "connected" ? now.hello.person : before;
  });

  const clock = createClock();
  const gather = onceAFrame();
  const gathered: Pick<Socket, "attach" | "watchSessions"> = {
    attach: (session, start, deliver) =>
      socket.attach(session, start, (delivery) => gather(() => deliver(delivery))),
    watchSessions: (read) => socket.watchSessions((frame) => gather(() => read(frame))),
  };
  const deletions = createDeletions(client);
  const list = createSessionList(gathered, (page) => client.sessions(page), deletions.doomed);

  const asks = createAsks(socket);
  createEffect(() => {
    if (asks.isHere) void untrack(() => clearKeptAnswers((ask) => asks.isOpen(ask), client));
  });

  return {
    client,
    connection,
    reconnect: () => socket.retryNow(),
    ...clock,
    ...createLost(connection, clock.now),
    person,
    profiles: createProfiles(client, () => connection().state === "connected"),
    list,
    asks,
    deletions,
    answering: createAnswers(client),
    processes: socket,
    ...createFollowed(client, gathered, list.rows, () => person() ?? ""),
    begin: createOutbox({
      session: "new",
      send: begin,
      hasArrived: () => true,
      upload: client.uploadFile,
      newKey: client.transport.newKey,
    }),
  };

  async function begin(sent: Sent): Promise<null> {
    const title = titleFrom(sent.text);
    const wanted = { ...chosenOptions(), title, input: newInput(sent) };
    const session = await client.createSession(wanted, undefined, sent.key);
    // Whoever has gone elsewhere meanwhile stays there: the list shows that it has begun.
    const { pathname } = location;
    if (pathname === "/" || pathname === "/new")
      navigate(sessionPath(session.id), { replace: pathname === "/new" });
    return null;
  }
}

export const DashboardContext = createContext<Dashboard>();

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (!dashboard) throw new Error("there is no dashboard around this component");
  return dashboard;
}
