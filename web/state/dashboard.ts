// All that a tab knows, over one socket: the connection, the list, the sessions that it follows. Pages only read it.
import { createContext, createSignal, onCleanup, useContext, type Accessor } from "solid-js";
import { createClient, type Client } from "../../src/client/commands.ts";
import { connect } from "../../src/client/connect.ts";
import type { Connection } from "../../src/client/connection.ts";
import type { Socket } from "../../src/client/socket.ts";
import { createNow } from "./clock.ts";
import { createFollowed, type Followed } from "./followed.ts";
import { onceAFrame } from "./once-a-frame.ts";
import { createOutbox, newInput, type Outbox, type Sent } from "./outbox.ts";
import { createSessionList, type SessionList } from "./session-list.ts";
import { sessionPath } from "../address.ts";
import { navigate } from "../route.ts";
import { titleFrom } from "../title.ts";

export type Dashboard = {
  client: Client;
  connection: Accessor<Connection>;
  reconnect: () => void;
  now: Accessor<number>;
  list: SessionList;
  /** Follows a session from now on; the same object for as long as it is followed. */
  follow: (session: string) => Followed;
  /** The composer of a session that does not exist yet. */
  begin: Outbox;
};

export function createDashboard(): Dashboard {
  const client = createClient();
  const socket = connect(client);
  onCleanup(() => socket.close());

  const [connection, setConnection] = createSignal(socket.connection);
  let person = "";
  onCleanup(
    socket.onConnection((now) => {
      if (now.state === "connected") person = now.hello.person;
      setConnection(now);
    }),
  );

  const gather = onceAFrame();
  const gathered: Pick<Socket, "attach" | "watchSessions"> = {
    attach: (session, start, deliver) =>
      socket.attach(session, start, (delivery) => gather(() => deliver(delivery))),
    watchSessions: (read) => socket.watchSessions((frame) => gather(() => read(frame))),
  };
  const list = createSessionList(gathered, (page) => client.sessions(page));

  return {
    client,
    connection,
    reconnect: () => socket.retryNow(),
    now: createNow(),
    list,
    follow: createFollowed(client, gathered, list.rows, () => person),
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
    const session = await client.createSession({ title, input: newInput(sent) }, undefined, sent.key);
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
