// Whoever only reads changes nothing, be it a link that is followed or a page that is loaded ahead. Each address is read for
// real, and the store is then what it was, row by row. The routes are the same on PostgreSQL; here their traces lie in a file.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { ON_POSTGRES, openServer, type OpenServer } from "../../test/open-server.ts";
import type { NewEvent } from "../session/event.ts";

/** How each route is asked so that it answers in full. One that is missing here fails. */
const ASKED: Record<string, string> = {
  "/healthz": "",
  "/readyz": "",
  "/metrics": "",
  "/openapi.json": "",
  "/api/asks": "",
  "/api/asks/:id": "/api/asks/ask_1",
  "/api/audit": "",
  "/api/backup": "",
  "/api/blobs/:id": "/api/blobs/$BLOB",
  "/api/check": "",
  "/api/files/:id": "/api/files/$FILE",
  "/api/logins": "",
  "/api/me": "",
  "/api/overview": "",
  "/api/processes": "/api/processes?all=true",
  "/api/processes/:id": "/api/processes/prc_1",
  "/api/processes/:id/output": "/api/processes/prc_1/output",
  "/api/profiles": "",
  "/api/rules": "",
  "/api/search": "/api/search?q=anchor",
  "/api/sessions": "",
  "/api/sessions/:id": "/api/sessions/$SESSION",
  "/api/sessions/:id/events": "/api/sessions/$SESSION/events?offset=-1",
  "/api/sessions/:id/export": "/api/sessions/$SESSION/export",
  "/api/tasks/:id/events": "/api/tasks/tsk_1/events?offset=-1",
  "/api/tokens": "",
  "/api/usage": "",
};
/** Asked by opening a socket: without an upgrade it is refused. */
const SOCKET = "/api/ws";

describe.skipIf(ON_POSTGRES)("reading", () => {
  it("changes no row, whichever route is read with GET or HEAD", async () => {
    const { server, paths } = await furnished();
    const read: string[] = [];
    for (const { url, method } of readable(server)) {
      const before = rowsOf(server);
      const answer = await server.fetch(paths(url), { method });
      await answer.arrayBuffer();
      expect([method, url, answer.status, rowsOf(server)]).toEqual([method, url, 200, before]);
      read.push(`${method} ${url}`);
    }
    expect(read).toEqual(expect.arrayContaining(["GET /api/sessions/:id", "HEAD /api/sessions/:id/events"]));
  });

  it("changes no row, for however long it goes on", async () => {
    const { server, paths } = await furnished();
    const before = rowsOf(server);
    const events = paths("/api/sessions/:id/events");
    const stream = await server.fetch(`${events}&live=sse`);
    const reader = stream.body!.getReader();
    await reader.read();
    await (await server.fetch(`${events}&live=long-poll`)).arrayBuffer();
    const socket = await server.socket();
    for (const topic of ["sessions", "asks", "processes"] as const) {
      socket.send({ op: "watch", topic });
      await socket.next("rows", (frame) => frame.topic === topic);
    }
    await reader.cancel();
    expect(rowsOf(server)).toEqual(before);
  });

  it("notes of a token when it was used last, and no more", async () => {
    const { server } = await furnished();
    const { id, token } = await server.call<{ id: string; token: string }>("POST", "/api/tokens", {
      name: "reader",
    });
    const before = rowsOf(server);
    const answer = await server.fetch("/api/me", { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ id });
    const after = rowsOf(server);
    expect(tokenIn(before, id)).toMatchObject({ used_at: null });
    expect(tokenIn(after, id)).toEqual({ ...tokenIn(before, id), used_at: expect.any(Number) as unknown });
    expect({ ...after, token: [] }).toEqual({ ...before, token: [] });
  });
});

function readable({ routes }: OpenServer): { url: string; method: "GET" | "HEAD" }[] {
  return routes.flatMap(({ url, method, config }) =>
    (["GET", "HEAD"] as const)
      .filter((each) => [method].flat().includes(each) && config?.notAllowed !== true && url !== SOCKET)
      .map((each) => ({ url, method: each })),
  );
}

/** A server with something of everything that can be read, and the address of each route. */
async function furnished(): Promise<{ server: OpenServer; paths: (url: string) => string }> {
  const output = { text: "all is well", from: 0, next: 11, bytes: 11 };
  const processes = {
    host: "test",
    measured: () => undefined,
    hasLeft: () => Promise.resolve(false),
    output: () => Promise.resolve(output),
  };
  const server = await openServer({
    agents: () => ({ profiles: [], modelFault: () => undefined, processes }),
  });
  const { store } = server;
  const text = "An anchor holds fast. ".repeat(4_000); // long enough to be a blob
  const { id } = await server.newSession({ input: { kind: "prompt", text } });
  const claim = await store.claimSession(60_000); // which gives it its host
  await store.releaseLease(claim!.lease);
  await store.append(id, [ask, started], { by: "client", author: { person: "owner" } });
  const made: NewEvent = { type: "notice", data: { level: "info", text: "made" } };
  await store.createLog("tsk_1", "task", [made], { person: "owner" });
  const uploaded = await server.fetch("/api/files", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "12345",
  });
  const { file } = (await uploaded.json()) as { file: string };
  const view = await store.view(id);
  const { blob } = view!.queue[0]!.text as { blob: string };
  // Whoever searches first has the words sorted in that wait for it: an index of what is there, and no news.
  await store.search({ q: "anchor", limit: 1 });
  const known: Record<string, string> = { $SESSION: id, $FILE: file, $BLOB: blob };
  const paths = (url: string) => {
    const path = ASKED[url];
    if (path === undefined) throw new Error(`${url} is not in ASKED: say how it is read`);
    return (path || url).replace(/\$[A-Z]+/, (name) => known[name]!);
  };
  return { server, paths };
}

const ask: NewEvent = {
  type: "ask_opened",
  data: { ask: "ask_1", kind: "clarify", title: "which?", choices: [{ id: "1", label: "This" }] },
};
const started: NewEvent = {
  type: "process_started",
  data: { process: "prc_1", command: "make", cwd: "/w", background: true },
};

type Rows = Record<string, Record<string, unknown>[]>;

function rowsOf({ folder }: OpenServer): Rows {
  const database = new DatabaseSync(join(folder, "holdfast.db"), { readOnly: true });
  try {
    const tables = database
      .prepare("select name from sqlite_master where type = 'table' and sql not like 'create virtual%'")
      .all() as { name: string }[];
    return Object.fromEntries(
      tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]),
    );
  } finally {
    database.close();
  }
}

function tokenIn(rows: Rows, id: string): Record<string, unknown> | undefined {
  return rows["token"]?.find((row) => row["id"] === id);
}
