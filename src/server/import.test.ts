// An export comes in again as what it was, or not at all.
import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ON_POSTGRES, openServer, TOKEN, useServer, type OpenServer } from "../../test/open-server.ts";
import type { NewEvent } from "../session/event.ts";
import { formatPosition } from "../session/position.ts";
import type { View } from "../session/view.ts";
import { keepSecret } from "../secret/secrets.ts";
import { EVENT_MAX_BYTES, type FileInfo, type SessionRow } from "../store/store.ts";

const shared = useServer();

type Shown = SessionRow & { view: View };

const turn: NewEvent[] = [
  { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } },
  { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
  {
    type: "step_completed",
    data: {
      step: "s1",
      attempt: 1,
      message: [{ type: "text", text: "Seen." }],
      usage: { inputTokens: 10, outputTokens: 5, cost: 0.25 },
    },
  },
  { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
];

test("what was exported and deleted is brought in again as it was, with its long texts and files", async () => {
  const server = shared();
  const text = "ü long \u0001".repeat(20_000);
  const file = await upload(server, Buffer.from("pixels".repeat(20_000)));
  const { id } = await server.newSession({
    title: "Take me",
    input: { kind: "prompt", text, attachments: [{ file: file.file }] },
  });
  const input = (await show(server, id)).view.queue[0]!.input;
  const [started, ...rest] = turn;
  const from = formatPosition(2, 0);
  await append(server, id, [
    started!,
    { type: "input_delivered", data: { input, turn: "t1", from } },
    ...rest,
  ]);
  const [before, lines, words] = [await show(server, id), await exported(server, id), await told(server, id)];
  await server.call("DELETE", `/api/sessions/${id}?force=true`);

  const answer = await send(server, lines);
  expect(answer.status).toBe(201);
  const row = (await answer.json()) as SessionRow;
  expect(answer.headers.get("location")).toBe(`/api/sessions/${row.id}`);
  expect(row.id).not.toBe(id);
  expect(await told(server, row.id)).toBe(words);
  const after = await show(server, row.id);
  expect(after).toMatchObject({ title: "Take me", status: "idle", usage: before.usage });
  expect(after.view.messages).toEqual([
    ...before.view.messages,
    expect.objectContaining({ kind: "divider", divider: "imported", text: id }),
  ]);
  const again = (await exported(server, row.id)).split("\n");
  const facts = lines.split("\n").slice(0, -2);
  expect(again.slice(0, facts.length)).toEqual(facts);
  expect(JSON.parse(again[facts.length]!)).toMatchObject({
    type: "session_imported",
    by: { person: "owner" },
    data: { from: id },
  });
  // What was imported can be exported, and imported once more.
  expect((await send(server, again.join("\n"))).status).toBe(201);
});

test("files come in under their ids where they were not, and no file takes another's place", async () => {
  const [server, other] = [shared(), await openServer()];
  const file = await upload(server, Buffer.from("pixels"));
  const { id } = await server.newSession({
    input: { kind: "prompt", text: "look", attachments: [{ file: file.file }] },
  });
  const lines = await exported(server, id);
  expect((await send(other, lines)).status).toBe(201);
  expect(await (await other.fetch(`/api/files/${file.file}`)).text()).toBe("pixels");
  const forged = lines.replace(
    Buffer.from("pixels").toString("base64"),
    Buffer.from("PIXELS").toString("base64"),
  );
  const refused = await send(other, forged);
  expect([refused.status, await refused.json()]).toMatchObject([409, { line: 2 }]);
  expect(await (await other.fetch(`/api/files/${file.file}`)).text()).toBe("pixels");
});

test("under one key it is made once, and another export under it is refused", async () => {
  const server = await openServer();
  const { id } = await server.newSession({ title: "Once" });
  const lines = await exported(server, id);
  const key = { "idempotency-key": randomUUID() };
  const [first, second] = [await send(server, lines, key), await send(server, lines, key)];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await second.json()).toEqual(await first.json());
  expect((await send(server, `${lines}\n`, key)).status).toBe(422);
  expect((await server.call<{ items: [] }>("GET", "/api/sessions")).items).toHaveLength(2);
});

const created = { ...stamp(1), type: "session_created", data: { profile: "default" } };
const notice = (n: number) => ({ ...stamp(n), type: "notice", data: { level: "info", text: "hi" } });
const used = (usage: object) => ({
  ...stamp(2),
  type: "step_completed",
  data: { step: "s1", attempt: 1, message: [], usage: { inputTokens: 1, outputTokens: 1, ...usage } },
});
const open = (n: number) => ({
  ...stamp(n),
  type: "ask_opened",
  data: { ask: `ask_${n}`, kind: "approval", title: "t" },
});
const end = (n: number) => ({ end: formatPosition(n, 0), session: "ses_x" });
const long = { blob: sha("abc"), bytes: 3, preview: "a" };
const asked = {
  ...stamp(2),
  type: "input_admitted",
  data: { input: "inp_1", kind: "prompt", text: long },
};

test.each<[fault: string, line: number | undefined, lines: (object | string)[]]>([
  ["is not JSON", 2, [created, "{"]],
  ["is not a JSON object", 2, [created, "[1]"]],
  ["is not JSON in UTF-8", 1, ["\u{fffd}broken"]],
  ["does not fit: by", 1, [{ ...created, by: { person: 1 } }]],
  ["does not fit: by.", 1, [{ ...created, by: { person: "a\0" } }]],
  [
    "does not fit: by.must be of one kind",
    1,
    [{ ...created, by: { person: "a", executor: "n", epoch: "x" } }],
  ],
  ["does not fit: at must be a time", 1, [{ ...created, at: "2026-01-01" }]],
  ["does not fit: at must be a time", 1, [{ ...created, at: "+010000-01-01T00:00:00.000Z" }]],
  ["does not fit: data.usage.inputTokens", 2, [created, used({ inputTokens: 1.5 })]],
  ["does not fit: data.usage.outputTokens", 2, [created, used({ outputTokens: 1e300 })]],
  ["does not fit: data.usage.cost", 2, [created, used({ cost: 1e300 })]],
  ["does not fit: data.profile", 1, [{ ...created, data: {} }]],
  ["does not fit: data.title", 1, [{ ...created, data: { profile: "p", title: "a\0b" } }]],
  ["a log begins with session_created", 1, [notice(1)]],
  ["a log begins with session_created", 2, [created, { ...created, ...stamp(2) }]],
  ["which does not follow", 2, [created, notice(3)]],
  ["which does not follow", 3, [created, notice(2), notice(2)]],
  [
    "more than",
    2,
    [created, { ...notice(2), data: { level: "info", text: "x".repeat(EVENT_MAX_BYTES + 2_000) } }],
  ],
  [
    "is too large",
    2,
    [created, { ...notice(2), data: { level: "info", text: "x".repeat(EVENT_MAX_BYTES - 50) } }],
  ],
  [
    "more than 5000 of a kind would be open",
    5_002,
    [created, ...Array.from({ length: 5_001 }, (_, n) => open(n + 2))],
  ],
  [
    "nested more than",
    2,
    [
      created,
      `${JSON.stringify({ ...notice(2), type: "moon_rose" }).slice(0, -1)},"data":{"x":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`,
    ],
  ],
  ["refers to", 2, [created, asked, end(2)]],
  ["whose bytes are others", 2, [created, { blob: long.blob, bytes: 3, offset: 0, text: "abd" }, asked]],
  ["does not go on", 3, [created, { blob: long.blob, bytes: 3, offset: 0, text: "ab" }, asked]],
  ["has not the bytes", 2, [created, { blob: long.blob, bytes: 3, offset: 0, text: "abcd" }, asked]],
  ["is not all there", 2, [created, { blob: long.blob, bytes: 3, offset: 0, text: "ab" }]],
  ["is neither an event", 2, [created, { hello: 1 }]],
  [
    "comes after session_ended",
    3,
    [created, { ...stamp(2), type: "session_ended", data: { reason: "r" } }, notice(3)],
  ],
  ["says that it ends at", 2, [created, end(2)]],
  ["comes after the end", 3, [created, end(1), notice(2)]],
  ["was cut off", undefined, [created, notice(2)]],
  ["There is no event", undefined, [""]],
])("a line that %s is refused with its number, and nothing stays behind", async (fault, line, lines) => {
  const server = shared();
  const before = await server.call<{ items: SessionRow[] }>("GET", "/api/sessions?limit=200");
  const body = lines.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\n");
  const bytes = Buffer.from(body);
  if (body.startsWith("\u{fffd}")) bytes[0] = 0xff;
  const answer = await send(server, bytes);
  const problem = (await answer.json()) as { detail: string; line?: number };
  expect([answer.status, problem.line]).toEqual([400, line]);
  expect(problem.detail).toContain(fault);
  expect(await server.call("GET", "/api/sessions?limit=200")).toEqual(before);
  expect(await server.store.check()).toMatchObject({ problems: [] });
});

test("what was cut off is taken as far as it goes when that is asked for", async () => {
  const server = shared();
  const lines = [created, asked].map((each) => `${JSON.stringify(each)}\n`).join("");
  const answer = await send(server, lines, {}, "?partial=true");
  const { id } = (await answer.json()) as SessionRow;
  expect(await told(server, id)).toContain("no longer stored");
});

test("what could not be exported again is not taken, though it was cut off", async () => {
  const strange = { ...asked, data: { ...asked.data, text: { ...long, blob: "x".repeat(201) } } };
  const lines = [created, strange].map((each) => JSON.stringify(each)).join("\n");
  const answer = await send(shared(), lines, {}, "?partial=true");
  expect([answer.status, await answer.json()]).toMatchObject([400, { line: 2 }]);
});

test("the words of answers that broke off are the same after an export and an import", async () => {
  const server = shared();
  const { id } = await server.newSession({ title: "Broken off" });
  const said = (part: string, offset: number, text: string): NewEvent => ({
    type: "draft",
    data: { part, kind: "text", offset, text },
  });
  const step = (attempt: number): NewEvent => ({
    type: "step_started",
    data: { turn: "t1", step: "s1", attempt, model: "m" },
  });
  await append(server, id, [{ type: "turn_started", data: { turn: "t1", inputs: [] } }, step(1)]);
  await append(server, id, [said("s1.1/0", 0, "I was "), said("s1.1/0", 6, "just")]);
  await append(server, id, [
    { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "its server was lost" } },
    step(2),
  ]);
  await append(server, id, [said("s1.2/0", 0, "As I was saying")]);
  const [words, lines] = [await told(server, id), await exported(server, id)];
  expect(words).toContain("I was just");
  const row = (await (await send(server, lines)).json()) as SessionRow;
  expect(await told(server, row.id)).toContain("I was just");
  expect(await told(server, row.id)).toContain("As I was saying");
  const drafts = (text: string) => text.split("\n").filter((line) => line.includes('"type":"draft"'));
  const again = await exported(server, row.id);
  expect(drafts(lines)).toHaveLength(3);
  expect(drafts(again)).toEqual(drafts(lines));
  const third = (await (await send(server, again)).json()) as SessionRow;
  expect(await told(server, third.id)).toBe(await told(server, row.id));
});

test("an end is left out, and a newer version's facts are kept", async () => {
  const server = shared();
  const lines = [
    created,
    { ...stamp(2), type: "moon_rose", data: { over: "the sea" }, by: { person: "ada", mood: "calm" } },
    { ...stamp(3), type: "constructor", data: {} }, // as any object of JavaScript has
    { ...stamp(4), type: "session_ended", data: { reason: "reset", successor: "ses_y" } },
    end(4),
  ];
  const answer = await send(server, lines.map((each) => JSON.stringify(each)).join("\n"));
  const row = (await answer.json()) as SessionRow;
  expect(row).toMatchObject({ status: "idle", position: formatPosition(4, 0) });
  const [, second, third, fourth] = (await exported(server, row.id))
    .split("\n")
    .map((line) => JSON.parse(line || "{}") as object);
  expect([second, third, fourth]).toMatchObject([lines[1], lines[2], { type: "session_imported" }]);
});

test("known secrets stay out of what agents said elsewhere, and people keep their own words", async () => {
  const server = await openServer({ secrets: keepSecret([{ name: "A_KEY", value: "sesame-sesame" }]) });
  const text = `${"long ".repeat(20)}sesame-sesame`;
  const blob = { blob: sha(text), bytes: text.length, preview: text };
  const by = { executor: "nod_1", epoch: 1 };
  const lines = [
    created,
    { ...stamp(2), type: "notice", data: { level: "info", text: "own sesame-sesame" } },
    { ...stamp(3), by, type: "notice", data: { level: "info", text: "said sesame-sesame" } },
    { blob: blob.blob, bytes: text.length, offset: 0, text },
    { ...stamp(4), by, type: "tool_finished", data: { call: "c1", status: "ok", result: blob } },
    end(4),
  ];
  const answer = await send(server, lines.map((each) => JSON.stringify(each)).join("\n"));
  const { id } = (await answer.json()) as SessionRow;
  const words = await exported(server, id);
  expect(words.match(/sesame-sesame/g)).toHaveLength(1);
  expect(words).toContain("own sesame-sesame");
  expect(words).toContain("said [secret: A_KEY]");
  expect((await told(server, id)).match(/\[secret: A_KEY\]/g)).toHaveLength(2);
  expect((await send(server, words)).status).toBe(201); // and its names are those of what it says
});

test("a known secret stays out of words that broke off, however it is cut between them", async () => {
  const server = await openServer({ secrets: keepSecret([{ name: "A_KEY", value: "sesame-sesame" }]) });
  const by = { executor: "nod_1", epoch: 1 };
  let [seq, sub] = [1, 0];
  const fact = (type: string, data: object) => {
    [seq, sub] = [seq + 1, 0];
    return { ...stamp(seq), by, type, data };
  };
  let offset = 0;
  const say = (text: string) => {
    sub += 1;
    offset += text.length;
    const data = { part: "s1.1/0", kind: "text", offset: offset - text.length, text };
    return { ...stamp(seq), by, position: formatPosition(seq, sub), type: "draft", data };
  };
  const lines = [
    created,
    fact("turn_started", { turn: "t1", inputs: [] }),
    fact("step_started", { turn: "t1", step: "s1", attempt: 1, model: "m" }),
    ...["It is sesa", "me-ses", "ame", ", so ses"].map(say),
    fact("notice", { level: "info", text: "meanwhile" }),
    ...["ame-sesame opens. Open, s", "e"].map(say),
    fact("step_aborted", { step: "s1", attempt: 1, reason: "lost" }),
    fact("turn_ended", { turn: "t1", outcome: "failed" }),
  ];
  const body = [...lines, end(seq)].map((each) => JSON.stringify(each)).join("\n");
  const { id } = (await (await send(server, body)).json()) as SessionRow;
  const said = await told(server, id);
  expect(said).toContain("It is [secret: A_KEY], so [secret: A_KEY] opens. Open, se");
  expect(await exported(server, id)).not.toContain("sesame");
});

test("another media type is not taken", async () => {
  const headers = { "content-type": "application/json" };
  const answer = await shared().fetch("/api/sessions/import", { method: "POST", headers, body: "{}" });
  expect(answer.status).toBe(415);
});

test.skipIf(ON_POSTGRES)("a connection that breaks leaves nothing", async () => {
  const server = await openServer();
  const written = () => {
    const file = new DatabaseSync(join(server.folder, "holdfast.db"), { readOnly: true });
    const { count } = file.prepare("select count(*) as count from event").get() as { count: number };
    file.close();
    return count;
  };
  const lines = [created, ...Array.from({ length: 600 }, (_, n) => notice(n + 2))];
  const sending = request(`${server.url}/api/sessions/import`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${TOKEN}` },
  });
  sending.on("error", () => {}); // which is what we do to it
  sending.write(lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
  await expect.poll(written).toBe(500);
  sending.destroy();
  await expect.poll(written).toBe(0);
});

function stamp(n: number) {
  return { position: formatPosition(n, 0), at: "2026-01-02T03:04:05.678Z", by: { person: "ada" } };
}

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function append({ store }: OpenServer, id: string, events: readonly NewEvent[]): Promise<void> {
  expect(await store.append(id, events, { by: "client", author: { person: "owner" } })).toMatchObject({
    ok: true,
  });
}

function show(server: OpenServer, id: string): Promise<Shown> {
  return server.call("GET", `/api/sessions/${id}`);
}

async function exported(server: OpenServer, id: string): Promise<string> {
  return (await server.fetch(`/api/sessions/${id}/export?format=jsonl`)).text();
}

async function told(server: OpenServer, id: string): Promise<string> {
  return (await server.fetch(`/api/sessions/${id}/export?format=md`)).text();
}

function send(
  server: OpenServer,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
  query = "",
): Promise<Response> {
  return server.fetch(`/api/sessions/import${query}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", ...headers },
    body,
  });
}

async function upload(server: OpenServer, body: Buffer<ArrayBuffer>): Promise<FileInfo> {
  const headers = { "content-type": "image/png" };
  const answer = await server.fetch("/api/files?name=photo.png", { method: "POST", headers, body });
  expect(answer.status).toBe(201);
  return (await answer.json()) as FileInfo;
}
