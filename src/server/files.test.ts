import { request } from "node:http";
import { expect, test } from "vitest";
import { nextRequest } from "../../test/next-request.ts";
import { openServer, TOKEN, until, useServer } from "../../test/open-server.ts";
import type { SessionRow } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import { formatPosition } from "../session/position.ts";
import type { View } from "../session/view.ts";
import { FILE_MAX_BYTES } from "../protocol/limits.ts";

const shared = useServer();

test("a file that is uploaded can be named by an input and comes back byte for byte", async () => {
  const server = shared();
  const bytes = Buffer.alloc(3_000_000, "holdfast");
  const uploaded = await server.fetch("/api/files?name=notes%20%C3%A4.txt", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: bytes,
  });
  expect(uploaded.status).toBe(201);
  const info = (await uploaded.json()) as { file: string };
  expect(info).toMatchObject({ name: "notes ä.txt", type: "text/plain", bytes: bytes.length });
  const { id } = await server.newSession({
    input: { kind: "prompt", text: "read this", attachments: [{ file: info.file }] },
  });
  const { view } = await server.call<SessionRow & { view: View }>("GET", `/api/sessions/${id}`);
  expect(view.queue[0]?.attachments).toEqual([info]);
  const back = await server.fetch(`/api/files/${info.file}`);
  expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
});

test("a file is kept by the sessions whose inputs name it, however they do, and goes after the last of them", async () => {
  let passedMs = 0;
  const server = await openServer({ clock: () => Date.now() + passedMs });
  const passDays = async (days: number) => {
    passedMs += days * 24 * 3_600_000;
    await server.store.tidy();
  };
  const upload = async () => {
    const answer = await server.fetch("/api/files", { method: "POST", body: "x" });
    return ((await answer.json()) as { file: string }).file;
  };
  const files = await Promise.all([upload(), upload(), upload(), upload()]);
  const [first, sent, edited, resent] = files.map((file) => ({ text: "x", attachments: [{ file }] }));
  const { id } = await server.newSession({ input: { kind: "prompt", ...first } });
  const path = `/api/sessions/${id}/inputs`;
  const { input } = await server.call<{ input: string }>("POST", path, { kind: "prompt", ...sent }, 202);
  await server.call("PATCH", `${path}/${input}`, edited);
  const turn = "turn_1";
  const delivered: NewEvent[] = [
    { type: "turn_started", data: { turn, inputs: [input] } },
    { type: "input_delivered", data: { input, turn, from: formatPosition(2, 0) } },
    { type: "turn_ended", data: { turn, outcome: "completed" } },
  ];
  await server.store.append(id, delivered, { by: "client", author: { person: "owner" } });
  const next = await server.call<SessionRow>("POST", `${path}/${input}/resend`, resent, 201);
  const found = () =>
    Promise.all(files.map(async (file) => (await server.fetch(`/api/files/${file}`)).status));
  await passDays(30);
  await server.call("DELETE", `/api/sessions/${id}?force=true`);
  await passDays(30);
  expect(await found()).toEqual([200, 200, 200, 200]);
  await server.call("DELETE", `/api/sessions/${next.id}?force=true`);
  await passDays(2);
  expect(await found()).toEqual([404, 404, 404, 404]);
});

test("JSON is a file like any other, and so is nothing", async () => {
  const server = shared();
  for (const body of ['{"a":1}', ""]) {
    const answer = await server.fetch("/api/files", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(await answer.json()).toMatchObject({ name: "file", type: "application/json", bytes: body.length });
  }
});

test.each(["", "garbage", "a/b/c", "text"])(
  "a file whose content-type is no media type is a file all the same: %j",
  async (type) => {
    const server = shared();
    const headers = { "content-type": type };
    const answer = await server.fetch("/api/files", { method: "POST", headers, body: Buffer.from("x") });
    expect([answer.status, await answer.json()]).toMatchObject([
      201,
      { type: "application/octet-stream", bytes: 1 },
    ]);
  },
);

test("a file over 25 MB is refused, announced or not, and the server goes on", async () => {
  const server = shared();
  const announced = await server.fetch("/api/files", {
    method: "POST",
    body: Buffer.alloc(FILE_MAX_BYTES + 1),
  });
  expect(announced.status).toBe(413);
  const chunk = Buffer.alloc(1 << 20);
  async function* unannounced(): AsyncGenerator<Buffer> {
    for (let n = 0; n < 30; n++) yield chunk;
  }
  const body = ReadableStream.from(unannounced());
  const streamed = await server.fetch("/api/files", { method: "POST", body, duplex: "half" } as RequestInit);
  expect(await streamed.json()).toMatchObject({ code: "too_large", maxBytes: FILE_MAX_BYTES });
  expect((await server.fetch("/healthz")).status).toBe(200);
});

test("a file that could be a page is only ever saved, and can run nothing", async () => {
  const server = shared();
  const put = async (type: string) => {
    const answer = await server.fetch("/api/files?name=x.html", {
      method: "POST",
      headers: { "content-type": type },
      body: "<script>1</script>",
    });
    return ((await answer.json()) as { file: string }).file;
  };
  const page = await server.fetch(`/api/files/${await put("text/html")}`);
  expect(page.headers.get("content-disposition")).toMatch(/^attachment;/);
  expect(page.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  const image = await server.fetch(`/api/files/${await put("image/png")}`);
  expect(image.headers.get("content-disposition")).toMatch(/^inline;/);
});

test("a text that is too long for an event is kept whole beside it", async () => {
  const server = shared();
  const text = "𝄞".repeat(70_000); // each is a surrogate pair
  const { id } = await server.newSession({ input: { kind: "prompt", text } });
  const { view } = await server.call<SessionRow & { view: View }>("GET", `/api/sessions/${id}`);
  const kept = view.queue[0]!.text;
  if (typeof kept === "string") throw new Error("it is in the event");
  expect(kept.preview).toBe("𝄞".repeat(2_048));
  const blob = await server.fetch(`/api/blobs/${kept.blob}`);
  expect(blob.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await blob.text()).toBe(text);
});

test.each([
  ["a file", "/api/files", "application/octet-stream"],
  ["JSON", "/api/sessions", "application/json"],
])("an upload that its client breaks off is no fault of the server's: %s", async (_, path, type) => {
  const server = await openServer();
  const coming = nextRequest();
  const client = request(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": type, "content-length": 1_000_000 },
  });
  client.on("error", () => {}); // it is we who break it off
  client.write('{"title": "' + "x".repeat(100_000));
  await coming;
  client.destroy();
  await until(() => server.logged.some((line) => line.includes("broken off")));
  expect(server.logged.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
});
