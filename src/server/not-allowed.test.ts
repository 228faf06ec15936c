import { expect, test } from "vitest";
import { useServer } from "../../test/open-server.ts";

const shared = useServer();

test.each([
  ["POST", "/api/sessions/$ID", "GET, HEAD, PATCH, DELETE"],
  ["DELETE", "/api/sessions", "GET, HEAD, POST"],
  ["OPTIONS", "/api/sessions", "GET, HEAD, POST"],
  ["GET", "/api/sessions/$ID/inputs", "POST"],
  ["PUT", "/api/files", "POST"],
  ["POST", "/api/files/fil_1", "GET, HEAD"],
  ["DELETE", "/api/sessions/$ID/events", "GET, HEAD"],
  ["POST", "/api/backup", "GET"],
  ["POST", "/openapi.json", "GET, HEAD"],
])("%s %s is refused with the methods that are there", async (method, path, allow) => {
  const server = shared();
  const { id } = await server.newSession();
  const answer = await server.fetch(path.replace("$ID", id), {
    method,
    ...(method !== "GET" && { body: "<x/>", headers: { "content-type": "text/xml" } }),
  });
  expect(await answer.json()).toMatchObject({ status: 405, code: "method_not_allowed" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
});

test("HEAD says of an export, a file and a blob what GET would, without them", async () => {
  const server = shared();
  const text = "x".repeat(100_000);
  const { id } = await server.newSession({ input: { kind: "prompt", text } });
  const { file } = (await (
    await server.fetch("/api/files", {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "12345",
    })
  ).json()) as { file: string };
  const { view } = await server.call<{ view: { queue: { text: { blob: string } }[] } }>(
    "GET",
    `/api/sessions/${id}`,
  );
  for (const [path, type, length] of [
    [`/api/sessions/${id}/export?format=jsonl`, "application/x-ndjson", null],
    [`/api/files/${file}`, "text/plain", "5"],
    [`/api/blobs/${view.queue[0]!.text.blob}`, "text/plain; charset=utf-8", String(text.length)],
  ]) {
    const answer = await server.fetch(path!, { method: "HEAD" });
    const { status, headers } = answer;
    expect([path, status, headers.get("content-type"), headers.get("content-length")]).toEqual([
      path,
      200,
      type,
      length,
    ]);
    expect(await answer.text()).toBe("");
  }
});
