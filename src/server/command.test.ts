import { expect, test } from "vitest";
import { type OpenServer, TOKEN, openServer, override, useServer } from "../../test/open-server.ts";
import type { ProfileInfo, SessionRow } from "../protocol/http.ts";
import { START } from "../session/position.ts";
import type { View } from "../session/view.ts";

const shared = useServer();

test("a request that is sent again under its key takes effect once and gets the same answer", async () => {
  const server = await openServer();
  const body = { title: "once", input: { kind: "prompt", text: "go" } };
  const first = await keyed(server, "POST", "/api/sessions", body, "k1");
  const again = await keyed(server, "POST", "/api/sessions", body, "k1");
  expect([again.status, again.json]).toEqual([201, first.json]);
  const { items } = await server.call<{ items: SessionRow[] }>("GET", "/api/sessions");
  expect(items).toHaveLength(1);

  const { id } = items[0]!;
  const sent = await keyed(
    server,
    "POST",
    `/api/sessions/${id}/inputs`,
    { kind: "prompt", text: "more" },
    "k2",
  );
  const resent = await keyed(
    server,
    "POST",
    `/api/sessions/${id}/inputs`,
    { text: "more", kind: "prompt" },
    "k2",
  );
  expect(resent).toEqual(sent);
  const forked = await keyed(server, "POST", `/api/sessions/${id}/fork`, {}, "k3");
  expect((await keyed(server, "POST", `/api/sessions/${id}/fork`, {}, "k3")).json).toEqual(forked.json);
  expect((await server.call<{ items: SessionRow[] }>("GET", "/api/sessions")).items).toHaveLength(2);
});

test("requests under one key at the same time are one request", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const body = { kind: "prompt", text: "now" };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => keyed(server, "POST", `/api/sessions/${id}/inputs`, body, "same")),
  );
  expect(new Set(answers.map(({ status, json }) => `${status} ${JSON.stringify(json)}`)).size).toBe(1);
  expect((await server.call<SessionRow>("GET", `/api/sessions/${id}`)).queued).toBe(1);
});

test("another request under a used key is refused", async () => {
  const server = shared();
  const { id } = await server.newSession();
  await keyed(server, "PATCH", `/api/sessions/${id}`, { title: "a" }, "k");
  expect(await keyed(server, "PATCH", `/api/sessions/${id}`, { title: "b" }, "k")).toMatchObject({
    status: 422,
    json: { code: "key_reused" },
  });
  expect((await server.call<SessionRow>("GET", `/api/sessions/${id}`)).title).toBe("a");
});

test("two persons may use the same key", async () => {
  const server = shared();
  const { token } = await server.call<{ token: string }>("POST", "/api/tokens", {
    name: "other",
    person: "ann",
    kind: "person",
  });
  const [mine, hers] = [
    await keyed(server, "POST", "/api/sessions", { title: "t" }, "k"),
    await keyed(server, "POST", "/api/sessions", { title: "t" }, "k", token),
  ];
  expect((mine.json as SessionRow).id).not.toBe((hers.json as SessionRow).id);
});

test("a token that is asked for again under its key is the same token, and works", async () => {
  const server = await openServer();
  const first = await keyed(server, "POST", "/api/tokens", { name: "ci" }, "k");
  const again = await keyed(server, "POST", "/api/tokens", { name: "ci" }, "k");
  expect(again).toEqual(first);
  const { token } = first.json as { token: string };
  expect(
    (await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(200);
  expect((await server.call<{ items: unknown[] }>("GET", "/api/tokens")).items).toHaveLength(1);
  const unkeyed = await server.call<{ token: string }>("POST", "/api/tokens", { name: "ci" });
  expect(unkeyed.token).not.toBe(token);
});

test("what is deleted or revoked is answered for again under its key, and not found under another", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const { id: token } = await server.call<{ id: string }>("POST", "/api/tokens", { name: "x" });
  const rule = { id: "rul_1", profile: "p", tool: "shell", match: "*", decision: "allow" as const };
  await server.store.addRule(rule);
  for (const path of [`/api/sessions/${id}`, `/api/tokens/${token}`, "/api/rules/rul_1"]) {
    const remove = async (key: string, query = "") =>
      (await server.fetch(path + query, { method: "DELETE", headers: { "idempotency-key": key } })).status;
    expect([path, await remove(`d${path}`)]).toEqual([path, 204]);
    expect([path, await remove(`d${path}`)]).toEqual([path, 204]);
    expect([path, await remove(`e${path}`)]).toEqual([path, 404]);
  }
  const reused = await server.fetch("/api/tokens/tok_0", {
    method: "DELETE",
    headers: { "idempotency-key": `d/api/sessions/${id}` },
  });
  expect(reused.status).toBe(422);
});

test("a patch that titles and pins is done once under its key, and does not undo what came later", async () => {
  const server = shared();
  const { id } = await server.newSession();
  const path = `/api/sessions/${id}`;
  for (const [key, patch] of [
    ["both", { title: "t", pinned: true }],
    ["one", { pinned: true }],
  ] as const) {
    const first = await keyed(server, "PATCH", path, patch, key);
    expect(first).toMatchObject({ status: 200, json: { pinned: true } });
    await server.call("PATCH", path, { pinned: false });
    expect(await keyed(server, "PATCH", path, patch, key)).toEqual(first);
    expect((await server.call<SessionRow>("GET", path)).pinned).toBe(false);
    expect((await keyed(server, "PATCH", path, { archived: true }, key)).status).toBe(422);
    expect((await keyed(server, "PATCH", path, { title: "other" }, key)).status).toBe(422);
  }
});

test("a patch that is sent again under its key gets the answer that it got, whatever came of the session since", async () => {
  const server = shared();
  const { id } = await server.newSession({ title: "begun" });
  const path = `/api/sessions/${id}`;
  const first = await keyed(server, "PATCH", path, { title: "A" }, "patch A");
  expect(first).toMatchObject({ status: 200, json: { title: "A" } });
  await keyed(server, "PATCH", path, { title: "B" }, "patch B");
  expect(await keyed(server, "PATCH", path, { title: "A" }, "patch A")).toEqual(first);
  expect((await server.call<SessionRow>("GET", path)).title).toBe("B");
  await server.call("DELETE", path);
  expect(await keyed(server, "PATCH", path, { title: "A" }, "patch A")).toEqual(first);
  expect((await keyed(server, "PATCH", path, { title: "A" }, "patch C")).status).toBe(404);
});

test("a fork that is asked for again under its key is the same, also when its original is gone", async () => {
  const server = shared();
  const { id } = await server.newSession({ title: "original" });
  const path = `/api/sessions/${id}/fork`;
  const first = await keyed(server, "POST", path, {}, "fork");
  await server.call("DELETE", `/api/sessions/${id}`);
  expect(await keyed(server, "POST", path, {}, "fork")).toEqual(first);
  expect(first.status).toBe(201);
  expect((await keyed(server, "POST", path, { at: START }, "fork")).status).toBe(422);
  expect((await keyed(server, "POST", path, {}, "fork anew")).status).toBe(404);
});

test("what named something that is gone by now gets its answer under its key all the same", async () => {
  let profiles = ["default", "old"];
  const server = await openServer({
    agents: () => ({
      profiles: profiles.map((name) => ({ name }) as ProfileInfo),
      modelFault: (model) => (profiles.includes("old") ? undefined : `no provider has ${model}`),
    }),
    wrap: (store) =>
      override(store, {
        file: (id) => (profiles.includes("old") ? store.file(id) : Promise.resolve(undefined)), // as if it was pruned
      }),
  });
  const upload = await server.fetch("/api/files?name=a.txt", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "a",
  });
  const { file } = (await upload.json()) as { file: string };
  const attachments = [{ file }];
  const created = { profile: "old", model: "old/one", input: { kind: "prompt", text: "go", attachments } };
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  const { view } = await server.call<SessionRow & { view: View }>("GET", `/api/sessions/${id}`);
  const { input } = view.queue[0]!;
  const ask = async () => [
    await keyed(server, "POST", "/api/sessions", created, "old profile"),
    await keyed(
      server,
      "POST",
      `/api/sessions/${id}/inputs`,
      { kind: "prompt", text: "x", attachments },
      "file",
    ),
    await keyed(server, "PATCH", `/api/sessions/${id}/inputs/${input}`, { attachments }, "edit"),
  ];
  const first = await ask();
  expect(first.map(({ status }) => status)).toEqual([201, 202, 200]);
  profiles = ["default"];
  expect(await ask()).toEqual(first);
  expect(await keyed(server, "POST", "/api/sessions", created, "anew")).toMatchObject({ status: 422 });
  const other = { ...created, profile: "default" };
  expect(await keyed(server, "POST", "/api/sessions", other, "old profile")).toMatchObject({
    status: 422,
    json: { code: "key_reused" },
  });
});

test("a request that had nothing to do has nothing to do when it comes again", async () => {
  const server = shared();
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  const { view } = await server.call<SessionRow & { view: View }>("GET", `/api/sessions/${id}`);
  const { input } = view.queue[0]!;
  const wishes = [`/api/sessions/${id}/stop`, `/api/sessions/${id}/queue/release`];
  const ask = () => Promise.all(wishes.map((path) => keyed(server, "POST", path, undefined, `idle ${path}`)));
  const first = await ask();
  expect(first).toMatchObject([
    { status: 200, json: { stopped: false, turn: null } },
    { status: 200, json: { released: false } },
  ]);
  const byOwner = { by: "client", author: { person: "owner" } } as const;
  await server.store.append(
    id,
    [
      { type: "turn_started", data: { turn: "t1", inputs: [input] } },
      { type: "queue_held", data: { reason: "stopped" } },
    ],
    byOwner,
  );
  const before = (await server.store.head(id))!.position;
  expect(await ask()).toEqual(first);
  expect((await server.store.head(id))!.position).toBe(before);
  const other = await keyed(server, "POST", `/api/sessions/${id}/stop`, undefined, "while it runs");
  expect(other).toMatchObject({ status: 202, json: { stopped: true, turn: "t1" } });
});

test("a file that is uploaded again under its key is the first one; other bytes under it are refused", async () => {
  const server = shared();
  const upload = async (body: string, key = "up") => {
    const answer = await server.fetch("/api/files?name=a.txt", {
      method: "POST",
      headers: { "content-type": "text/plain", "idempotency-key": key },
      body,
    });
    return { status: answer.status, json: (await answer.json()) as { file: string; code?: string } };
  };
  const first = await upload("one");
  expect(first.status).toBe(201);
  expect(await upload("one")).toEqual(first);
  expect(await upload("two")).toMatchObject({ status: 422, json: { code: "key_reused" } });
  expect((await upload("one", "k".repeat(201))).status).toBe(400);
});

test("a login link that is asked for again under its key is the same link, and logs in once", async () => {
  const server = shared();
  const first = await keyed(server, "POST", "/api/login-links", {}, "link");
  expect(await keyed(server, "POST", "/api/login-links", {}, "link")).toEqual(first);
  const secret = (first.json as { url: string }).url.split("#")[1];
  await server.call("POST", "/api/login", { secret }, 200);
  await server.call("POST", "/api/login", { secret }, 401);
});

async function keyed(
  server: OpenServer,
  method: string,
  path: string,
  body: unknown,
  key: string,
  token = TOKEN,
) {
  const answer = await server.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "idempotency-key": key,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}
