import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { nextRequest } from "../../test/next-request.ts";
import { ON_POSTGRES, openServer, override, until } from "../../test/open-server.ts";
import { CLOSE_SHUTTING_DOWN } from "../protocol/close.ts";
import type { Overview, SessionRow } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import { StorageError, type Store } from "../store/store.ts";

test("a store that is full makes the server not ready, with the reason, and acknowledges nothing", async () => {
  let isFull = false;
  let passedMs = 0; // a commit is tried at most once a second
  const server = await openServer({
    now: () => Date.now() + passedMs,
    wrap: (store) =>
      failing(store, () => (isFull ? new StorageError("full", "no space left on the disk") : undefined)),
  });
  const { id } = await server.newSession();
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  isFull = true;
  const refused = await server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "x" }, 503);
  expect(refused).toMatchObject({ code: "not_ready", reason: "full" });
  expect(refused["detail"]).toContain("no space left");
  passedMs += 1_000;
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
    code: "not_ready",
    detail: "no space left on the disk",
  });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await server.fetch(`/api/sessions/${id}`)).status).toBe(200); // reading goes on
  isFull = false;
  await server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "x" }, 202);
  passedMs += 1_000;
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

test("what nobody expected is told as little, and logged whole", async () => {
  const server = await openServer({
    wrap: (store) => failing(store, () => new Error("secret inner workings"), ["overview"]),
  });
  const answer = await server.call("GET", "/api/overview", undefined, 500);
  expect(answer).toMatchObject({ code: "internal" });
  expect(JSON.stringify(answer)).not.toContain("inner workings");
  expect(server.logged.join("")).toContain("secret inner workings");
});

test("metrics tell of readers, requests, the store and the event loop", async () => {
  const server = await openServer();
  const { id } = await server.newSession();
  await server.socket();
  const stream = await server.fetch(`/api/sessions/${id}/events?offset=-1&live=sse`);
  const text = await (await server.fetch("/metrics")).text();
  await stream.body!.cancel();
  expect(text).toContain('holdfast_readers{kind="ws"} 1');
  expect(text).toContain('holdfast_readers{kind="sse"} 1');
  expect(text).toContain("holdfast_followed_logs 1");
  expect(text).toContain('holdfast_store_healthy{dialect="');
  expect(text).toContain("holdfast_appended_events_total 1");
  expect(text).toMatch(
    /holdfast_http_request_duration_seconds_count\{method="POST",route="\/api\/sessions",status="201"\} 1/,
  );
  expect(text).toContain("holdfast_event_loop_lag_seconds");
});

test("the overview shows what runs and waits", async () => {
  const server = await openServer();
  await server.newSession({ title: "idle" });
  const { id } = await server.newSession({ title: "waits", input: { kind: "prompt", text: "x" } });
  const overview = await server.call<Overview>("GET", "/api/overview");
  expect(overview).toMatchObject({ store: server.store.id, version: "0.0.0-test", asks: 0 });
  expect(overview.sessions).toMatchObject({ idle: 1, queued: 1 });
  expect(overview.active.map((row: SessionRow) => row.id)).toEqual([id]);
  expect(overview.nodes).toMatchObject([{ id: server.store.node, alive: true }]);
});

test("the overview says how many asks are open, and which, the newest of them", async () => {
  const server = await openServer();
  const { id } = await server.newSession({ title: "asks" });
  const asked = Array.from({ length: 103 }, (_, n): NewEvent => {
    const ask = `ask_${String(n).padStart(3, "0")}`;
    return {
      type: "ask_opened",
      data: { ask, kind: n === 102 ? "clarify" : "approval", title: `May I ${n}?` },
    };
  });
  await server.store.append(id, asked, { by: "client", author: { person: "owner" } });
  const { asks, openAsks } = await server.call<Overview>("GET", "/api/overview");
  expect([asks, openAsks.length]).toEqual([103, 100]);
  const openedAt: unknown = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(openAsks.slice(0, 2)).toEqual([
    { id: "ask_102", session: id, kind: "clarify", title: "May I 102?", openedAt },
    { id: "ask_101", session: id, kind: "approval", title: "May I 101?", openedAt },
  ]);
  await server.call("POST", "/api/asks/ask_102/answer", { text: "yes" });
  const then = await server.call<Overview>("GET", "/api/overview");
  expect([then.asks, then.openAsks[0]?.id]).toEqual([102, "ask_101"]);
});

test("what was said is found", async () => {
  const server = await openServer();
  const { id } = await server.newSession({
    title: "Ships",
    input: { kind: "prompt", text: "An anchor holds fast in the storm" },
  });
  const { items } = await server.call<{ items: Record<string, unknown>[] }>(
    "GET",
    "/api/search?q=anchor+storm",
  );
  expect(items).toMatchObject([{ session: id, title: "Ships", type: "input_admitted" }]);
  expect(items[0]!["snippet"]).toContain("anchor");
  expect(await server.call("GET", "/api/search?q=submarine")).toEqual({ items: [], next: null });
});

test.skipIf(ON_POSTGRES)(
  "a backup of the running server is a store with everything in it, and leaves no copy behind",
  async () => {
    const server = await openServer();
    const { id } = await server.newSession({ title: "kept" });
    const answer = await server.fetch("/api/backup");
    expect(answer.status).toBe(200);
    const file = join(server.folder, "backup.db");
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as {
      name: string;
    }[];
    const found = tables.some(({ name }) => {
      const rows = database.prepare(`select * from "${name}"`).all();
      return rows.some((row) => Object.values(row).includes(id));
    });
    expect(found).toBe(true);
    database.close();
    expect((await server.fetch("/api/backup")).status).toBe(200);
  },
);

test.skipIf(ON_POSTGRES)(
  "a backup whose reader goes while it is made is no hindrance to the next, and leaves no copy behind",
  async () => {
    const copying = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const server = await openServer({
      wrap: (store) =>
        override(store, {
          backup: async (file) => {
            copying.resolve();
            await goOn.promise;
            return store.backup(file);
          },
        }),
    });
    const coming = nextRequest();
    const reader = new AbortController();
    const asked = server.fetch("/api/backup", { signal: reader.signal });
    await copying.promise;
    const gone = once((await coming).response, "close");
    await server.call("GET", "/api/backup", undefined, 409);
    reader.abort();
    await expect(asked).rejects.toThrow("aborted");
    await gone;
    goOn.resolve();
    await until(async () => (await server.fetch("/api/backup")).status === 200);
    await until(async () => (await readdir(join(server.folder, "backup"))).length === 0);
  },
);

test.skipIf(ON_POSTGRES)(
  "a backup that can't be made is no hindrance to the next, and its folder is its owner's alone",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-backup-test-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const backupFolder = join(folder, "backup");
    const server = await openServer({ backupFolder });
    await writeFile(backupFolder, "in the way");
    await server.call("GET", "/api/backup", undefined, 500);
    await rm(backupFolder);
    const answer = await server.fetch("/api/backup");
    expect(answer.status).toBe(200);
    expect((await stat(backupFolder)).mode & 0o777).toBe(0o700);
    await answer.arrayBuffer();
  },
);

test.skipIf(ON_POSTGRES)(
  "the copy that a server left that died over a backup goes at the start, and nothing else of what lies there",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-backup-test-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const backupFolder = join(folder, "backup");
    let left = "";
    const server = await openServer({
      backupFolder,
      wrap: (store) =>
        override(store, {
          backup: (file) => {
            left = file;
            return store.backup(file);
          },
        }),
    });
    await (await server.fetch("/api/backup")).arrayBuffer();
    await until(async () => (await readdir(backupFolder)).length === 0);
    await mkdir(dirname(left));
    await writeFile(`${left}.part`, "all that was said");
    await writeFile(join(backupFolder, "monday.backup"), "a person's own");
    await mkdir(join(backupFolder, "copy-of-tuesday"));
    await openServer({ backupFolder });
    expect((await readdir(backupFolder)).toSorted()).toEqual(["copy-of-tuesday", "monday.backup"]);
  },
);

test.runIf(ON_POSTGRES)("who keeps everything in PostgreSQL is told how to back it up", async () => {
  const server = await openServer();
  expect((await server.call("GET", "/api/backup", undefined, 409))["detail"]).toContain("pg_dump");
});

test("a check reads everything and says what it is a check of", async () => {
  const server = await openServer();
  await server.newSession({ input: { kind: "prompt", text: "x" } });
  expect(await server.call("GET", "/api/check")).toMatchObject({
    store: server.store.id,
    events: 2,
    damaged: [],
    problems: [],
  });
});

test("the API describes itself, each schema once", async () => {
  const server = await openServer();
  const document = await server.call<{
    openapi: string;
    paths: Record<string, Record<string, { requestBody?: unknown; responses: object }>>;
    components: { schemas: Record<string, unknown> };
  }>("GET", "/openapi.json");
  expect(document.openapi).toBe("3.1.0");
  expect(document.paths["/api/sessions/{id}"]).toHaveProperty("patch");
  expect(JSON.stringify(document.paths["/api/sessions"]!["post"]!.requestBody)).toContain(
    "#/components/schemas/NewSession",
  );
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(["NewSession", "SessionRow", "Problem", "Position"]),
  );
  for (const [path, at] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(at))
      expect([method, path, Object.keys(responses).filter((status) => /^[123]/.test(status))]).not.toEqual([
        method,
        path,
        [],
      ]);
  const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  for (const [, name] of refs) expect(document.components.schemas).toHaveProperty(name!);
});

test("the API's description says what is read, what is sent and what comes back, where that is no JSON", async () => {
  const server = await openServer();
  type Operation = {
    parameters: { name: string; in: string; description?: string; schema: Record<string, unknown> }[];
    responses: Record<string, { content?: object }>;
  };
  const { paths, components } = await server.call<{
    paths: Record<string, Record<string, Operation>>;
    components: { securitySchemes: { cookie: { name: string; description: string } } };
  }>("GET", "/openapi.json");
  const events = paths["/api/sessions/{id}/events"]!;
  expect(Object.keys(events).toSorted()).toEqual(["get", "head"]);
  expect(Object.keys(events["get"]!.responses["200"]!.content!)).toEqual([
    "application/json",
    "text/event-stream",
  ]);
  const parameters = new Map(events["get"]!.parameters.map((each) => [each.name, each]));
  for (const name of ["offset", "live", "cursor", "store"])
    expect(parameters.get(name)?.schema).toMatchObject({
      type: "string",
      description: expect.any(String) as unknown,
    });
  expect(parameters.get("Last-Event-ID")?.in).toBe("header");
  const remove = paths["/api/sessions/{id}"]!["delete"]!;
  expect(remove.responses["204"]).not.toHaveProperty("content");
  expect(remove.parameters.map(({ name }) => name)).toContain("Idempotency-Key");
  expect(Object.keys(paths["/api/backup"]!["get"]!.responses["200"]!.content!)).toEqual([
    "application/vnd.sqlite3",
  ]);
  expect(components.securitySchemes.cookie.description).toContain("holdfast_");
});

test("at the end streams are closed cleanly, what is being answered is answered, and nothing new begins", async () => {
  const release = Promise.withResolvers<void>();
  const server = await openServer({
    wrap: (store) => override(store, { overview: async () => (await release.promise, store.overview()) }),
  });
  const { id } = await server.newSession();
  const socket = await server.socket();
  const stream = await server.fetch(`/api/sessions/${id}/events?offset=-1&live=sse`);
  const polling = server.fetch(`/api/sessions/${id}/events?offset=now&live=long-poll`);
  const answering = server.fetch("/api/overview");
  await until(async () =>
    (await (await server.fetch("/metrics")).text()).includes('holdfast_readers{kind="long_poll"} 1'),
  );
  const closing = server.close();
  expect((await socket.closed).code).toBe(CLOSE_SHUTTING_DOWN);
  expect(await stream.text()).toContain("event: data");
  expect((await polling).status).toBe(503);
  const late = await server.fetch("/api/sessions");
  expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([503, "shutting_down"]);
  release.resolve();
  expect((await answering).status).toBe(200);
  await closing;
  await expect(server.fetch("/healthz")).rejects.toThrow("fetch failed");
});

test("whoever comes while the server ends is told so until all else has ended, not only while it answers others", async () => {
  const server = await openServer();
  const { id } = await server.newSession();
  const agents = Promise.withResolvers<void>();
  const closing = server.close(agents.promise);
  for (let round = 0; round < 3; round++) {
    const late = await server.fetch(`/api/sessions/${id}`, { headers: { connection: "close" } });
    expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([503, "shutting_down"]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  }
  agents.reject(new Error("they did not end well")); // which is told where it happened
  await closing;
  await expect(server.fetch("/healthz")).rejects.toThrow("fetch failed");
});

test("the dashboard's files are the same for all, asked for by their hash, and shut in by a strict policy", async () => {
  const server = await openServer();
  const web = join(server.folder, "web");
  expect((await fetch(server.url, { headers: { accept: "text/html" } })).status).toBe(404);
  await mkdir(join(web, "assets"), { recursive: true });
  await writeFile(join(web, "index.html"), "<!doctype html><title>Holdfast</title>");
  await writeFile(join(web, "assets", "app-abc123.js"), "export {};");
  await writeFile(join(web, ".built-from"), "hidden");
  const html = { headers: { accept: "text/html,*/*" } };
  for (const path of ["/", "/login", "/sessions/ses_1", "/asks/ask_1"]) {
    const page = await fetch(server.url + path, html);
    expect([path, page.status, page.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/html; charset=utf-8",
    ]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  }
  const asset = await fetch(`${server.url}/assets/app-abc123.js`);
  expect([asset.status, asset.headers.get("cache-control")]).toEqual([
    200,
    "public, max-age=31536000, immutable",
  ]);
  expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const page = await fetch(server.url, html);
  const same = await fetch(server.url, {
    headers: { accept: "text/html", "if-none-match": page.headers.get("etag")! },
  });
  expect(same.status).toBe(304);
  for (const path of [
    "/assets/gone.js",
    "/.built-from",
    "/sessions/ses_1/data.json",
    "/..%2fholdfast.db",
    "/%2e%2e/holdfast.db",
  ])
    expect([path, (await fetch(server.url + path, html)).status]).toEqual([path, 404]);
  expect(
    (await fetch(`${server.url}/sessions/ses_1`, { headers: { accept: "application/json" } })).status,
  ).toBe(404);
  expect((await fetch(`${server.url}/`, { method: "POST" })).status).toBe(404);
});

test("what is worth it is sent compressed to whoever takes that, and as it is to others", async () => {
  const server = await openServer();
  const folder = join(server.folder, "web", "assets");
  const script = "export const words = 1;".repeat(200);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "long.js"), script);
  await writeFile(join(folder, "short.js"), "0;");
  const sent = async (name: string, encoding: string) => {
    const answer = await fetch(`${server.url}/assets/${name}`, { headers: { "accept-encoding": encoding } });
    return [answer.headers.get("content-encoding"), answer.headers.get("vary"), (await answer.text()).length];
  };
  expect(await sent("long.js", "br, gzip")).toEqual(["gzip", "accept-encoding", script.length]);
  expect(await sent("long.js", "identity")).toEqual([null, "accept-encoding", script.length]);
  expect(await sent("long.js", "gzip;q=0")).toEqual([null, "accept-encoding", script.length]);
  expect(await sent("short.js", "gzip")).toEqual([null, null, 2]);
});

/** Every verb that writes, or those named, throws when there is an error. */
function failing(
  store: Store,
  error: () => Error | undefined,
  verbs = ["append", "createSession", "setTimer"],
): Store {
  const broken = verbs.map((verb) => [
    verb,
    (...args: unknown[]) => {
      const failure = error();
      if (failure !== undefined) return Promise.reject(failure);
      return (Reflect.get(store, verb) as (...given: unknown[]) => unknown).apply(store, args);
    },
  ]);
  return override(store, Object.fromEntries(broken) as Partial<Store>);
}
