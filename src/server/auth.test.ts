import { once } from "node:events";
import { request as rawRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { type OpenServer, TOKEN, openServer, until, useServer } from "../../test/open-server.ts";
import { CLOSE_UNAUTHORIZED } from "../protocol/close.ts";
import type { ClientFrame } from "../protocol/socket.ts";

const shared = useServer();

test("tokens are listed in pages, newest first", async () => {
  const server = await openServer();
  for (const name of ["a", "b", "c"]) await server.call("POST", "/api/tokens", { name });
  type Page = { items: { name: string }[]; next: string | null };
  const first = await server.call<Page>("GET", "/api/tokens?limit=2");
  expect(first.items.map(({ name }) => name)).toEqual(["c", "b"]);
  const rest = await server.call<Page>("GET", `/api/tokens?limit=2&after=${first.next}`);
  expect([rest.items.map(({ name }) => name), rest.next]).toEqual([["a"], null]);
  expect(await server.call("GET", "/api/logins?limit=1")).toEqual({ items: [], next: null });
});

test("a list goes on after a page whose last row is gone", async () => {
  const server = await openServer();
  for (const name of ["a", "b", "c"]) await server.call("POST", "/api/tokens", { name });
  type Page = { items: { name: string }[]; next: string | null };
  const { next } = await server.call<Page>("GET", "/api/tokens?limit=2");
  await server.call("DELETE", `/api/tokens/${next}`, undefined, 204);
  const rest = await server.call<Page>("GET", `/api/tokens?limit=2&after=${next}`);
  expect([rest.items.map(({ name }) => name), rest.next]).toEqual([["a"], null]);
});

/** The whole list. Whoever adds to it says why. */
const OPEN = ["GET /healthz", "HEAD /healthz", "GET /readyz", "HEAD /readyz", "POST /api/login"];

test("no route answers without a credential but those of a literal list", async () => {
  const server = shared();
  const asked: string[] = [];
  for (const { method, url } of server.routes)
    for (const each of [method].flat()) {
      const name = `${each} ${url}`;
      if (OPEN.includes(name)) continue;
      asked.push(name);
      const { status } = await fetch(server.url + url.replace(":id", "ses_1"), { method: each });
      expect(`${name}: ${status}`).toBe(`${name}: 401`);
    }
  expect(asked).toEqual(
    expect.arrayContaining(["GET /api/sessions", "GET /metrics", "GET /api/ws", "GET /openapi.json"]),
  );
});

test.each([
  "/api/nothing",
  "/api",
  "/mcp",
  "/v1/stream/x",
  "/metrics/deep",
  "/api/sessions/x/events?live=sse&offset=-1",
])("%s says nothing to whoever has no credential, not even that it is not there", async (path) => {
  const server = shared();
  const answer = await fetch(server.url + path);
  expect(answer.status).toBe(401);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
});

test.each([
  ["no credential", {}],
  ["a wrong token", { authorization: "Bearer wrong" }],
  ["a token in another scheme", { authorization: `Basic ${TOKEN}` }],
  ["a made-up cookie", { cookie: "holdfast=1; holdfast_x=2" }],
])("a WebSocket with %s is refused with 401", async (_, headers) => {
  const server = shared();
  expect(await upgradeStatus(server, headers)).toBe(401);
});

test("a token in the query string is no credential", async () => {
  const server = shared();
  expect((await fetch(`${server.url}/api/sessions?token=${TOKEN}&access_token=${TOKEN}`)).status).toBe(401);
});

test("a request for another host is refused, whatever its credential", async () => {
  const server = shared();
  for (const path of ["/", "/healthz", "/api/sessions", "/api/sessions/x/events?live=sse&offset=-1"])
    expect(await statusFor(server, path, { host: "evil.example", authorization: `Bearer ${TOKEN}` })).toBe(
      421,
    );
  expect(
    await upgradeStatus(server, { host: `evil.example:${server.port}`, authorization: `Bearer ${TOKEN}` }),
  ).toBe(421);
});

test("a page of another origin, of another port too, can neither read, stream, change nor open a socket", async () => {
  const server = shared();
  for (const origin of ["http://evil.example", `http://127.0.0.1:${server.port + 1}`, "null"]) {
    const headers = { origin, authorization: `Bearer ${TOKEN}` };
    expect(await statusFor(server, "/api/sessions", headers)).toBe(403);
    expect(await statusFor(server, "/api/sessions", headers, "POST")).toBe(403);
    expect(await statusFor(server, "/api/login", headers, "POST")).toBe(403);
    expect(await statusFor(server, "/api/sessions/x/events?live=sse&offset=-1", headers)).toBe(403);
    expect(await upgradeStatus(server, headers)).toBe(403);
  }
  const own = { origin: server.url, authorization: `Bearer ${TOKEN}` };
  expect(await statusFor(server, "/api/sessions", own)).toBe(200);
  expect(await upgradeStatus(server, own)).toBe(101);
});

test("nothing invites other origins", async () => {
  const server = shared();
  const answer = await server.fetch("/api/sessions", { headers: { origin: server.url } });
  expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  const preflight = await fetch(`${server.url}/api/sessions`, {
    method: "OPTIONS",
    headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
  });
  expect(preflight.ok).toBe(false);
});

test("a login link works once, gives a cookie that scripts can't read, and the login is a row that can be revoked", async () => {
  const server = await openServer();
  const { url } = await server.call<{ url: string }>("POST", "/api/login-links");
  const secret = url.split("#")[1]!;
  expect(url).toBe(`${server.url}/login#${secret}`);
  const first = await login(server, secret);
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({ person: "owner", kind: "login" });
  const cookie = first.headers.get("set-cookie")!;
  expect(cookie).toMatch(/^holdfast_\w+=hf_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/);
  expect((await login(server, secret)).status).toBe(401);

  const headers = { cookie: cookie.split(";")[0]! };
  const me = (await (await fetch(`${server.url}/api/me`, { headers })).json()) as { id: string };
  const { items } = await server.call<{ items: { id: string }[] }>("GET", "/api/logins");
  expect(items.map(({ id }) => id)).toEqual([me.id]);
  await server.call("DELETE", `/api/logins/${items[0]!.id}`, undefined, 204);
  expect((await fetch(`${server.url}/api/me`, { headers })).status).toBe(401);
});

test("a login link runs out after ten minutes", async () => {
  let passedMs = 0;
  const server = await openServer({ now: () => Date.now() + passedMs });
  passedMs = -10 * 60_000 - 1; // made in the past, as far as the store can tell
  const { url } = await server.loginLink("owner");
  passedMs = 0;
  expect((await login(server, url.split("#")[1]!)).status).toBe(401);
});

test("logging out ends the login and takes the cookie back", async () => {
  const server = shared();
  const cookie = await loggedIn(server);
  const out = await fetch(`${server.url}/api/logout`, { method: "POST", headers: { cookie } });
  expect(out.status).toBe(204);
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  expect((await fetch(`${server.url}/api/me`, { headers: { cookie } })).status).toBe(401);
});

test("logging out under a key of another request, or of another login, is refused and ends nothing", async () => {
  const server = shared();
  const [first, second] = [await loggedIn(server), await loggedIn(server)];
  const post = async (path: string, cookie: string, key: string) =>
    (await fetch(server.url + path, { method: "POST", headers: { cookie, "idempotency-key": key } })).status;
  const me = async (cookie: string) => (await fetch(`${server.url}/api/me`, { headers: { cookie } })).status;
  expect(await post("/api/sessions", first, "of a session")).toBe(201);
  expect([await post("/api/logout", first, "of a session"), await me(first)]).toEqual([422, 200]);
  expect([await post("/api/logout", first, "of a login"), await me(first)]).toEqual([204, 401]);
  expect([await post("/api/logout", second, "of a login"), await me(second)]).toEqual([422, 200]);
});

test("behind a TLS proxy the cookie is for TLS only", async () => {
  const server = await openServer({ behindProxy: "https://holdfast.example" });
  const { url } = await server.loginLink("owner");
  expect(url).toMatch(/^https:\/\/holdfast\.example\/login#/);
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-proto": "https" },
    body: JSON.stringify({ secret: url.split("#")[1] }),
  });
  expect(answer.headers.get("set-cookie")).toContain("; Secure");
});

test("guessing is slowed, from this machine too, while the right secret still works for others later", async () => {
  let passedMs = 0;
  const server = await openServer({ now: () => Date.now() + passedMs });
  const statuses: number[] = [];
  for (let n = 0; n < 11; n++) statuses.push((await login(server, `guess-${n}`)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  const refused = await login(server, "guess");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  passedMs = 60_000;
  const { url } = await server.loginLink("owner");
  expect((await login(server, url.split("#")[1]!)).status).toBe(200);
});

test("revoking a token closes its open streams and sockets within a second, and no other", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const made = await server.call<{ id: string; token: string }>("POST", "/api/tokens", { name: "ci" });
  const headers = { authorization: `Bearer ${made.token}` };
  const stream = await fetch(`${server.url}/api/sessions/${id}/events?live=sse&offset=-1`, { headers });
  const reader = stream.body!.getReader();
  await reader.read();
  const socket = await server.socket(headers);
  const other = await server.socket();
  const waiting = fetch(`${server.url}/api/sessions/${id}/events?live=long-poll&offset=now`, { headers });
  const { items } = await server.call<{ items: { id: string; usedAt: string | null }[] }>(
    "GET",
    "/api/tokens",
  );
  expect(items.find((token) => token.id === made.id)?.usedAt).not.toBeNull();

  const revokedAt = performance.now();
  await server.call("DELETE", `/api/tokens/${made.id}`, undefined, 204);
  expect((await socket.closed).code).toBe(CLOSE_UNAUTHORIZED);
  while (!(await reader.read()).done);
  expect((await waiting).status).toBe(401);
  expect(performance.now() - revokedAt).toBeLessThan(1_000);
  expect((await fetch(`${server.url}/api/me`, { headers })).status).toBe(401);
  expect(other.ws.readyState).toBe(WebSocket.OPEN);
});

test("a socket whose credential is revoked is served nothing more, also if it does not heed the goodbye", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const made = await server.call<{ id: string; token: string }>("POST", "/api/tokens", { name: "ci" });
  const socket = connect(server.port, "127.0.0.1");
  let said = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => (said = Buffer.concat([said, bytes])));
  const closed = once(socket, "close");
  socket.write(
    `GET /api/ws HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${made.token}\r\n` +
      "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n" +
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const send = (frame: ClientFrame) => {
    const text = Buffer.from(JSON.stringify(frame));
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])); // masked with zeros
  };
  send({ op: "attach", session: id });
  await until(() => said.includes('"caught_up"'));

  await server.call("DELETE", `/api/tokens/${made.id}`, undefined, 204);
  const goodbye = Buffer.from([0x11, 0x31]); // 4401, the first that a close frame says
  await until(() => said.includes(goodbye));
  const after = said.indexOf(goodbye) + goodbye.length + "the credential was revoked".length;
  send({ op: "attach", session: id });
  send({ op: "watch", topic: "sessions" });
  await server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "not for everybody" });
  await closed;
  expect(said.subarray(after).toString("latin1")).toBe("");
});

test("a login that runs out, or whose end went unheard, loses its open streams all the same", async () => {
  let isOver = false;
  const server = await openServer({
    limits: { recheckMs: 10 },
    wrap: (store) =>
      new Proxy(store, {
        get(target, name) {
          if (name === "credential" && isOver) return () => Promise.resolve(undefined);
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      }),
  });
  const socket = await server.socket({ cookie: await loggedIn(server) });
  isOver = true;
  expect((await socket.closed).code).toBe(CLOSE_UNAUTHORIZED);
});

test("a credential is read from the store once, not at every request", async () => {
  let asked = 0;
  const server = await openServer({
    wrap: (store) =>
      new Proxy(store, {
        get(target, name) {
          if (name === "credential") asked++;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      }),
  });
  const { token } = await server.call<{ token: string }>("POST", "/api/tokens", { name: "busy" });
  for (let n = 0; n < 20; n++)
    expect(
      (await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(200);
  expect(asked).toBe(1);
});

test("no secret reaches the log", async () => {
  const server = await openServer();
  const made = await server.call<{ token: string }>("POST", "/api/tokens", { name: "quiet" });
  const cookie = await loggedIn(server);
  await login(server, "a-wrong-secret-that-someone-typed");
  await fetch(`${server.url}/api/sessions/${made.token}`, {
    headers: { authorization: `Bearer ${made.token}`, cookie },
  });
  await until(() => server.logged.filter((line) => line.includes('"answered"')).length >= 4);
  const text = server.logged.join("");
  for (const secret of [TOKEN, made.token, cookie.split("=")[1]!, "a-wrong-secret-that-someone-typed"])
    expect(text).not.toContain(secret);
});

test("listening beyond this machine is refused without TLS or a proxy", async () => {
  await expect(openServer({ host: "0.0.0.0" })).rejects.toThrow(/without TLS/);
});

async function login(server: OpenServer, secret: string): Promise<Response> {
  return fetch(`${server.url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
}

async function loggedIn(server: OpenServer): Promise<string> {
  const { url } = await server.loginLink("owner");
  const answer = await login(server, url.split("#")[1]!);
  return answer.headers.get("set-cookie")!.split(";")[0]!;
}

/** fetch does not let a test choose Host. */
function statusFor(
  server: OpenServer,
  path: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = rawRequest({ host: "127.0.0.1", port: server.port, path, method, headers }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asking.on("error", reject).end();
  });
}

function upgradeStatus(server: OpenServer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const ws = new WebSocket(`ws://127.0.0.1:${server.port}/api/ws`, { headers });
    ws.on("open", () => {
      ws.terminate();
      resolve(101);
    });
    ws.on("unexpected-response", (_, answer) => resolve(answer.statusCode ?? 0));
    ws.on("error", () => undefined);
  });
}
