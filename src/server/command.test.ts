import { expect, test } from "vitest";
import { type OpenServer, TOKEN, openServer, useServer } from "../../test/open-server.ts";
import type { SessionRow } from "../protocol/http.ts";

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
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}
