// What an export says is all there is to say: the session it came from may be gone when it is read.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openServer, override, useServer, type OpenServer } from "../../test/open-server.ts";
import { formatPosition, START } from "../session/position.ts";
import { EVENT_MAX_BYTES, type FileInfo } from "../store/store.ts";

const shared = useServer();

type Line = Record<string, unknown>;

test("JSON lines carry the long texts that events only name, in front of them and whole", async () => {
  const server = shared();
  const text = `${"a".repeat(32 * 1024 - 1)}ü${"\u0001€😀".repeat(60_000)}`;
  const { id, position } = await server.newSession({ input: { kind: "prompt", text } });
  const lines = await exported(server, id);
  const stretches = lines.filter(({ blob }) => blob !== undefined);
  expect(stretches.map(({ text: part }) => part).join("")).toBe(text);
  expect(new Set(stretches.map(({ blob }) => blob))).toEqual(
    new Set([createHash("sha256").update(text).digest("hex")]),
  );
  const events = lines.filter((line) => "type" in line);
  expect(events.map((event) => [event["position"], event["type"]])).toEqual([
    [formatPosition(1, 0), "session_created"],
    [formatPosition(2, 0), "input_admitted"],
  ]);
  expect(lines.indexOf(events[1]!)).toBeGreaterThan(lines.indexOf(stretches.at(-1)!));
  expect(lines.at(-1)).toEqual({ end: position, session: id });
  for (const line of lines) expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThan(EVENT_MAX_BYTES);
});

test("JSON lines carry files, empty ones too, and tell of one that is gone", async () => {
  const server = shared();
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 31) % 256));
  const attachments = [await put(server, "all", bytes), await put(server, "none", Buffer.alloc(0))];
  const { id } = await server.newSession({
    input: { kind: "prompt", text: "look", attachments: attachments.map(({ file }) => ({ file })) },
  });
  await server.store.append(
    id,
    [
      {
        type: "input_admitted",
        data: {
          input: "inp_2",
          kind: "prompt",
          text: { blob: "f".repeat(64), bytes: 3, preview: "gon" },
          attachments: [{ file: "fil_gone", name: "gone", type: "text/plain", bytes: 4 }],
        },
      },
    ],
    { by: "client", author: { person: "owner" } },
  );
  const lines = await exported(server, id);
  const [all, none] = attachments.map(({ file }) => lines.filter((line) => line["file"] === file));
  expect(Buffer.concat(all!.map(({ base64 }) => Buffer.from(base64 as string, "base64")))).toEqual(bytes);
  expect(all![1]).toMatchObject({ name: "all", bytes: 300_000, offset: 32 * 1024 });
  expect(none).toMatchObject([{ name: "none", bytes: 0, offset: 0, base64: "" }]);
  expect(lines.filter((line) => "type" in line).every((line) => "position" in line)).toBe(true);
  expect(lines.flatMap(({ missing }) => missing ?? [])).toEqual(["f".repeat(64), "fil_gone"]);
});

test.each(["jsonl", "md"])(
  "an export as %s of a session that is deleted meanwhile is cut, so that it can't be taken for the whole",
  async (format) => {
    const server = await openServer({
      wrap: (store) =>
        override(store, {
          async events(log, after, limit) {
            if (after !== START) await store.deleteSession(log, { force: true });
            return store.events(log, after, limit);
          },
        }),
    });
    const { id } = await server.newSession({ title: "soon gone" });
    const notices = Array.from({ length: 500 }, (_, n) => ({
      type: "notice" as const,
      data: { level: "info" as const, text: `n${n}.` },
    }));
    await server.store.append(id, notices, { by: "client", author: { person: "owner" } });
    const answer = await server.fetch(`/api/sessions/${id}/export?format=${format}`);
    expect(answer.status).toBe(200);
    let text = "";
    const read = async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(text).toContain("n0.");
    expect(text).not.toContain('"end":');
  },
);

async function exported(server: OpenServer, id: string): Promise<Line[]> {
  const text = await (await server.fetch(`/api/sessions/${id}/export?format=jsonl`)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function put({ store }: OpenServer, name: string, bytes: Uint8Array): Promise<FileInfo> {
  async function* pieces() {
    yield bytes;
  }
  const type = "application/octet-stream";
  const added = await store.putFile({ id: `fil_${name}`, name, type }, pieces(), bytes.byteLength);
  if (!added.ok) throw new Error(added.code);
  return added.file;
}
