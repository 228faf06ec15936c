// Whatever comes in: a clear error each, and the server is as it was.
import { connect } from "node:net";
import { expect, test } from "vitest";
import { type OpenServer, TOKEN, openServer, useServer } from "../../test/open-server.ts";
import type { SessionRow } from "../protocol/http.ts";
import { INPUT_MAX_CHARS } from "../protocol/limits.ts";
import type { Problem } from "../protocol/problem.ts";
import { formatPosition } from "../session/position.ts";
import type { View } from "../session/view.ts";

const shared = useServer();

type Case = {
  name: string;
  method?: string;
  path: string;
  body?: string | Buffer<ArrayBuffer>;
  headers?: Record<string, string>;
  status: number;
  code: string;
  fault?: string;
};

const ID_OF: Readonly<Record<string, string>> = {
  asks: "ask",
  tokens: "tok",
  rules: "rul",
  logins: "lgn",
  audit: "ded",
};

const CASES: Case[] = [
  { name: "broken JSON", method: "POST", path: "/api/sessions", body: "{", status: 400, code: "bad_json" },
  {
    name: "no body where one is needed",
    method: "POST",
    path: "/api/sessions/$ID/inputs",
    body: "",
    status: 422,
    code: "schema",
    fault: "body",
  },
  {
    name: "a title with a NUL, which one of the stores could not keep as it is",
    method: "POST",
    path: "/api/sessions",
    body: JSON.stringify({ title: "a\0b" }),
    status: 422,
    code: "schema",
    fault: "body.title",
  },
  {
    name: "a new title with a NUL",
    method: "PATCH",
    path: "/api/sessions/$ID",
    body: JSON.stringify({ title: "a\0b" }),
    status: 422,
    code: "schema",
    fault: "body.title",
  },
  {
    name: "a file's name with a NUL",
    method: "POST",
    path: "/api/files?name=a%00b",
    body: "x",
    headers: { "content-type": "text/plain" },
    status: 422,
    code: "schema",
    fault: "query.name",
  },
  {
    name: "JSON that calls itself text",
    method: "POST",
    path: "/api/sessions",
    body: "{}",
    headers: { "content-type": "text/plain" },
    status: 415,
    code: "media_type",
  },
  {
    name: "bytes that are no UTF-8",
    method: "POST",
    path: "/api/sessions",
    body: Buffer.from('{"title":"\xff"}', "latin1"),
    status: 400,
    code: "bad_json",
  },
  {
    name: "an input of white space",
    method: "POST",
    path: "/api/sessions/$ID/inputs",
    body: '{"kind":"prompt","text":" \\n\\t"}',
    status: 422,
    code: "schema",
    fault: "body.text",
  },
  {
    name: "an input that is too long",
    method: "POST",
    path: "/api/sessions/$ID/inputs",
    body: JSON.stringify({ kind: "prompt", text: "x".repeat(INPUT_MAX_CHARS + 1) }),
    status: 413,
    code: "too_large",
    fault: "body.text",
  },
  {
    name: "a workspace that would depend on where the server was started",
    method: "POST",
    path: "/api/sessions",
    body: '{"workspace":"relative/x"}',
    status: 422,
    code: "schema",
    fault: "body.workspace",
  },
  ...["stop", "retry", "undo", "regenerate", "queue/release"].map((verb) => ({
    name: `more than is taken by ${verb}, which would not be done`,
    method: "POST",
    path: `/api/sessions/$ID/${verb}`,
    body: '{"turn":"t9"}',
    status: 422,
    code: "schema",
    fault: "body",
  })),
  {
    name: "a list for a login link",
    method: "POST",
    path: "/api/login-links",
    body: "[]",
    status: 422,
    code: "schema",
    fault: "body",
  },
  {
    name: "a page of processes after what ends none",
    path: "/api/processes?after=prc_1",
    status: 422,
    code: "schema",
    fault: "query.after",
  },
  ...["asks", "tokens", "rules", "logins", "audit"].flatMap((list) =>
    ["", "nonsense", "ses_01k9zzzzzz0123456789ab", "%00", `${ID_OF[list]}_`, `${ID_OF[list]}_1%00`].map(
      (after) => ({
        name: `a page of ${list} after "${after}", which ends none`,
        path: `/api/${list}?after=${after}`,
        status: 422,
        code: "schema",
        fault: "query.after",
      }),
    ),
  ),
  {
    name: "JSON where an export is to come",
    method: "POST",
    path: "/api/sessions/import",
    body: "{",
    status: 415,
    code: "media_type",
  },
  {
    name: "a form for a file",
    method: "POST",
    path: "/api/files",
    body: "--x--",
    headers: { "content-type": "multipart/form-data; boundary=x" },
    status: 415,
    code: "media_type",
  },
  {
    name: "a parameter that is given twice",
    path: "/api/sessions?limit=5&limit=6",
    status: 422,
    code: "schema",
    fault: "query.limit",
  },
  {
    name: "a poisoned key",
    method: "POST",
    path: "/api/sessions",
    body: '{"__proto__":{"x":1}}',
    status: 400,
    code: "bad_json",
  },
  {
    name: "a list for an object",
    method: "POST",
    path: "/api/sessions",
    body: "[]",
    status: 422,
    code: "schema",
    fault: "body",
  },
  {
    name: "a number for a title",
    method: "POST",
    path: "/api/sessions",
    body: '{"title":5}',
    status: 422,
    code: "schema",
    fault: "body.title",
  },
  {
    name: "an unknown key",
    method: "POST",
    path: "/api/sessions",
    body: '{"titel":"x"}',
    status: 422,
    code: "schema",
    fault: "body",
  },
  {
    name: "an input without text",
    method: "POST",
    path: "/api/sessions",
    body: '{"input":{"kind":"prompt"}}',
    status: 422,
    code: "schema",
    fault: "body.input.text",
  },
  {
    name: "an input of no kind",
    method: "POST",
    path: "/api/sessions/$ID/inputs",
    body: '{"kind":"order","text":"x"}',
    status: 422,
    code: "schema",
    fault: "body.kind",
  },
  {
    name: "an unknown file",
    method: "POST",
    path: "/api/sessions/$ID/inputs",
    body: '{"kind":"prompt","text":"x","attachments":[{"file":"fil_0"}]}',
    status: 422,
    code: "schema",
    fault: "body.attachments.0.file",
  },
  {
    name: "another media type",
    method: "POST",
    path: "/api/sessions",
    body: "<x/>",
    headers: { "content-type": "text/xml" },
    status: 415,
    code: "media_type",
  },
  {
    name: "a body over 1 MB",
    method: "POST",
    path: "/api/sessions",
    body: `{"title":"${"x".repeat(1 << 20)}"}`,
    status: 413,
    code: "too_large",
  },
  {
    name: "an empty patch",
    method: "PATCH",
    path: "/api/sessions/$ID",
    body: "{}",
    status: 422,
    code: "schema",
    fault: "body",
  },
  {
    name: "a blank title",
    method: "PATCH",
    path: "/api/sessions/$ID",
    body: '{"title":"  "}',
    status: 422,
    code: "schema",
    fault: "body.title",
  },
  { name: "an unknown session", path: "/api/sessions/ses_nothing", status: 404, code: "not_found" },
  {
    name: "an unknown session's log",
    path: "/api/sessions/ses_nothing/events?offset=-1",
    status: 404,
    code: "not_found",
  },
  {
    name: "an input to an unknown session",
    method: "POST",
    path: "/api/sessions/ses_nothing/inputs",
    body: '{"kind":"prompt","text":"x"}',
    status: 404,
    code: "not_found",
  },
  {
    name: "a fork of an unknown session",
    method: "POST",
    path: "/api/sessions/ses_nothing/fork",
    body: "{}",
    status: 404,
    code: "not_found",
  },
  {
    name: "an export of an unknown session",
    path: "/api/sessions/ses_nothing/export?format=md",
    status: 404,
    code: "not_found",
  },
  {
    name: "an export in no format",
    path: "/api/sessions/$ID/export?format=pdf",
    status: 422,
    code: "schema",
    fault: "query.format",
  },
  { name: "an unknown file's bytes", path: "/api/files/fil_nothing", status: 404, code: "not_found" },
  { name: "an unknown blob", path: "/api/blobs/nothing", status: 404, code: "not_found" },
  {
    name: "an unknown token",
    method: "DELETE",
    path: "/api/tokens/tok_nothing",
    status: 404,
    code: "not_found",
  },
  {
    name: "an unknown login",
    method: "DELETE",
    path: "/api/logins/lgn_nothing",
    status: 404,
    code: "not_found",
  },
  { name: "a path in an id", path: "/api/sessions/..%2F..%2Fetc%2Fpasswd", status: 404, code: "not_found" },
  { name: "a zero byte in an id", path: "/api/sessions/a%00b", status: 404, code: "not_found" },
  {
    name: "an id that is too long",
    path: `/api/sessions/${"x".repeat(400)}`,
    status: 404,
    code: "not_found",
  },
  { name: "a broken escape", path: "/api/sessions/%E0%A4%A", status: 400, code: "bad_request" },
  { name: "an unknown address", path: "/api/dance", status: 404, code: "not_found" },
  {
    name: "a limit of nothing",
    path: "/api/sessions?limit=0",
    status: 422,
    code: "schema",
    fault: "query.limit",
  },
  {
    name: "a limit beyond all",
    path: "/api/sessions?limit=100000",
    status: 422,
    code: "schema",
    fault: "query.limit",
  },
  {
    name: "an unknown filter",
    path: "/api/sessions?colour=red",
    status: 422,
    code: "schema",
    fault: "query",
  },
  {
    name: "an unknown status",
    path: "/api/sessions?status=dancing",
    status: 422,
    code: "schema",
    fault: "query.status",
  },
  {
    name: "a made-up page",
    path: "/api/sessions?after=nonsense",
    status: 422,
    code: "schema",
    fault: "query.after",
  },
  { name: "a search for nothing", path: "/api/search?q=", status: 422, code: "schema", fault: "query.q" },
  {
    name: "a page of a search behind a place that nobody gave",
    path: "/api/search?q=a&after=7",
    status: 422,
    code: "schema",
    fault: "query.after",
  },
  {
    name: "a malformed position",
    path: "/api/sessions/$ID?before=12",
    status: 422,
    code: "schema",
    fault: "query.before",
  },
  {
    name: "two ways to page",
    path: `/api/sessions/$ID?before=${formatPosition(1, 0)}&from=${formatPosition(1, 0)}`,
    status: 422,
    code: "schema",
    fault: "query",
  },
  {
    name: "a malformed offset",
    path: "/api/sessions/$ID/events?offset=abc",
    status: 400,
    code: "bad_request",
  },
  {
    name: "an offset ahead of the log",
    path: `/api/sessions/$ID/events?offset=${formatPosition(9, 9)}`,
    status: 409,
    code: "position_ahead",
  },
  {
    name: "an offset of another store",
    path: `/api/sessions/$ID/events?offset=${formatPosition(1, 0)}&store=sto_x`,
    status: 409,
    code: "other_store",
  },
  {
    name: "a seen position ahead of the log",
    method: "PUT",
    path: "/api/sessions/$ID/seen",
    body: `{"position":"${formatPosition(9, 0)}"}`,
    status: 409,
    code: "position_ahead",
  },
  {
    name: "a seen that is no position",
    method: "PUT",
    path: "/api/sessions/$ID/seen",
    body: '{"position":"soon"}',
    status: 422,
    code: "schema",
    fault: "body.position",
  },
  {
    name: "a fork ahead of the log",
    method: "POST",
    path: "/api/sessions/$ID/fork",
    body: `{"at":"${formatPosition(9, 0)}"}`,
    status: 409,
    code: "position_ahead",
  },
  {
    name: "a key that is too long",
    method: "POST",
    path: "/api/sessions",
    body: "{}",
    headers: { "idempotency-key": "k".repeat(201) },
    status: 400,
    code: "bad_request",
  },
  {
    name: "a token without a name",
    method: "POST",
    path: "/api/tokens",
    body: "{}",
    status: 422,
    code: "schema",
    fault: "body.name",
  },
];

test("every kind of bad input gets a clear error, and the server goes on", async () => {
  const server = shared();
  const { id } = await server.newSession();
  for (const { name, method = "GET", path, body, headers, status, code, fault } of CASES) {
    const answer = await server.fetch(path.replace("$ID", id), {
      method,
      ...(body !== undefined && { body }),
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    });
    const document = (await answer.json()) as Problem;
    const namesFault = fault === undefined || document.faults?.some((each) => each.path === fault);
    const type = answer.headers.get("content-type");
    expect({ name, status: answer.status, type, namesFault, document }).toMatchObject({
      name,
      status,
      type: "application/problem+json",
      namesFault: true,
      document: { status, code, type: `urn:holdfast:problem:${code}` },
    });
    expect(document.detail).toMatch(/^.{15,}\.$/s); // a sentence
  }
  expect((await server.fetch(`/api/sessions/${id}`)).status).toBe(200);
  expect((await server.store.head(id))?.position).toBe(formatPosition(1, 0)); // nothing of it took effect
});

test("a session needs nothing to be said about it, whether that is called JSON or not", async () => {
  const server = shared();
  for (const headers of [{}, { "content-type": "application/json" }]) {
    const answer = await server.fetch("/api/sessions", { method: "POST", headers });
    expect(answer.status).toBe(201);
  }
});

test("who has read further than the log is told where it is, and who says a thing twice that", async () => {
  const server = shared();
  const { id, position } = await server.newSession();
  const ahead = { position: formatPosition(9, 0) };
  expect(await server.call("PUT", `/api/sessions/${id}/seen`, ahead, 409)).toMatchObject({
    code: "position_ahead",
    position,
  });
  const twice = await server.call("GET", "/api/search?q=a&q=b", undefined, 422);
  expect(twice["detail"]).toContain("query.q: was given more than once");
});

test("a header over 16 KB is refused as such", async () => {
  const server = shared();
  const answer = await raw(
    server,
    `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx: ${"x".repeat(17_000)}\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).toContain('"code":"header_too_large"');
});

test("a header that comes too slowly is not waited for", async () => {
  const server = await openServer({ limits: { headerMs: 60, requestMs: 120 } });
  const start = `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx:`;
  expect(await raw(server, start)).toMatch(/^HTTP\/1\.1 408 /);
  const body = `POST /api/sessions HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`;
  expect(await raw(server, body)).toMatch(/^HTTP\/1\.1 408 /);
});

test("what is no HTTP is refused as such", async () => {
  const server = shared();
  const answer = await raw(server, "HELO there\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code":"bad_request"');
});

test.each([
  ["a zero byte", "a\0b"],
  ["half of a surrogate pair", "a\ud800b"],
  ["a newline and a line separator", "a\nb\u2028c"],
  ["nothing but control characters", "\u0001".repeat(60_000)],
  ["quotes and backslashes", '"\\'.repeat(30_000)],
])("a text with %s is kept as it is", async (_, text) => {
  const server = shared();
  const title = text.slice(0, 200).replaceAll("\0", ""); // a title with it is refused
  const { id } = await server.newSession({ title, input: { kind: "prompt", text } });
  const { view } = await server.call<{ view: View }>("GET", `/api/sessions/${id}`);
  expect(view.meta.title).toBe(title.trim().toWellFormed());
  const kept = view.queue[0]!.text;
  const whole =
    typeof kept === "string" ? kept : await (await server.fetch(`/api/blobs/${kept.blob}`)).text();
  expect(whole).toBe(text);
  const stream = await server.fetch(`/api/sessions/${id}/events?offset=-1`);
  expect(((await stream.json()) as unknown[]).length).toBe(2);
  await server.call("GET", `/api/search?q=${encodeURIComponent(title.toWellFormed())}`);
});

test("half of a surrogate pair in what becomes a column is the same in the row, the view and a filter", async () => {
  const server = shared();
  type Seen = SessionRow & { view: View };
  const same = async (id: string) => {
    const { view, ...row } = await server.call<Seen>("GET", `/api/sessions/${id}`);
    const { title, workspace, lane, model } = view.meta;
    expect(row).toMatchObject({ title, workspace, lane, model });
    return row;
  };
  const half = { title: "a\ud800b", lane: "l\ud800", workspace: "/w\ud800", model: "m\ud800" };
  const { id } = await server.newSession(half);
  expect(await same(id)).toMatchObject({ title: "a\ufffdb", lane: "l\ufffd", workspace: "/w\ufffd" });
  const found = await server.call<{ items: SessionRow[] }>(
    "GET",
    `/api/sessions?lane=${encodeURIComponent("l\ufffd")}`,
  );
  expect(found.items).toMatchObject([{ id }]);
  await server.call("PATCH", `/api/sessions/${id}`, { title: "\udc00b" });
  expect(await same(id)).toMatchObject({ title: "\ufffdb" });

  const exported = await server.fetch(`/api/sessions/${id}/export?format=jsonl`);
  const lines = (await exported.text()).replaceAll("\ufffd", "\\ud800"); // as an older version has kept it
  const imported = await server.fetch("/api/sessions/import", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: lines,
  });
  expect(await same(((await imported.json()) as SessionRow).id)).toMatchObject({ title: "\ufffdb" });
});

test("a long text for a session that is not there is refused as any other", async () => {
  const server = shared();
  const body = { kind: "prompt", text: "x".repeat(100_000) };
  const refused = await server.call("POST", "/api/sessions/ses_nothing/inputs", body, 404);
  expect(refused).toMatchObject({ code: "not_found" });
});

test("a body that is cut off has no effect", async () => {
  const server = await openServer();
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    `POST /api/sessions HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${TOKEN}\r\n` +
      `content-type: application/json\r\ncontent-length: 100\r\n\r\n{"title":"half`,
    () => socket.destroy(),
  );
  await new Promise((resolve) => socket.on("close", resolve));
  expect(await server.call("GET", "/api/sessions")).toMatchObject({ items: [] });
});

function raw(server: OpenServer, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}
