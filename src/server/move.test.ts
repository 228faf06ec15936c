// Whom a move to another host takes along. What hosts there are is the store's word, which a single file can't give:
// test/hosts.test.ts has the rest, on real ones.
import { expect, test } from "vitest";
import { openServer, type OpenServer } from "../../test/open-server.ts";
import { START } from "../session/position.ts";
import type { Store } from "../store/store.ts";

test("a delegate on a third host stays there, and whoever moves the session is told, in the log as well", async () => {
  const hosts = new Map<string, string>();
  const server = await openServer({ wrap: (store) => onHosts(store, hosts) });
  const { id: parent } = await server.newSession();
  const [along, stays, over] = [
    await delegate(server, parent),
    await delegate(server, parent),
    await delegate(server, parent),
  ];
  await server.store.append(over, [{ type: "session_ended", data: { reason: "done" } }], byOwner);
  for (const session of [parent, along]) hosts.set(session, "lost-host");
  for (const session of [stays, over]) hosts.set(session, "third-host");

  const moved = await server.call("POST", `/api/sessions/${parent}/move`, { confirm: true });
  expect(moved).toEqual({
    session: parent,
    from: "lost-host",
    to: "here",
    lost: [],
    delegates: [along],
    left: [{ session: stays, host: "third-host" }],
  });
  expect([parent, along, stays].map((session) => hosts.get(session))).toEqual(["here", "here", "third-host"]);
  const told = (await server.store.events(parent, START, 100)).at(-1);
  expect(told).toMatchObject({
    type: "notice",
    data: {
      text: expect.stringContaining(`${stays} works for it on "third-host", and stays there.`) as string,
    },
  });
  const untouched = await server.store.events(stays, START, 100);
  expect(untouched.map(({ type }) => type)).toEqual(["session_created"]);
});

test("a move that is asked for again under its key gets the answer that it got", async () => {
  const hosts = new Map<string, string>();
  const server = await openServer({ wrap: (store) => onHosts(store, hosts) });
  const { id } = await server.newSession();
  const along = await delegate(server, id);
  for (const session of [id, along]) hosts.set(session, "lost-host");
  const move = async () => {
    const answer = await server.fetch(`/api/sessions/${id}/move`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "move" },
      body: JSON.stringify({ confirm: true }),
    });
    return answer.json();
  };
  const first = await move();
  expect(first).toMatchObject({ from: "lost-host", delegates: [along] });
  expect(await move()).toEqual(first);
});

const byOwner = { by: "client", author: { person: "owner" } } as const;

let made = 0;

async function delegate({ store }: OpenServer, session: string): Promise<string> {
  const id = `ses_delegate_${++made}`;
  const created = await store.createSession(
    { id, profile: "default", origin: { kind: "delegation", session } },
    { person: "owner" },
  );
  expect(created).toMatchObject({ ok: true });
  return id;
}

function onHosts(store: Store, hosts: Map<string, string>): Store {
  return {
    ...store,
    sessionHost: async (id) => ({
      host: hosts.get(id) ?? null,
      here: "here",
      lost: hosts.get(id) === "lost-host",
    }),
    async moveSession(id) {
      hosts.set(id, "here");
      return { ok: true };
    },
  };
}
