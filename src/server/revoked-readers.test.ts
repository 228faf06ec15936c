import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ON_POSTGRES, openServer, override, until, type OpenServer } from "../../test/open-server.ts";

/** More than the system itself takes in for a reader. */
const MUCH_BYTES = 25_000_000;

test.for(["a file", "an export", "a backup"])(
  "%s that is being sent is cut within a second when its credential is revoked, and nobody else's",
  async (what, { skip }) => {
    skip(ON_POSTGRES && what === "a backup");
    const server = await openServer();
    const { path, file } = await longAnswer(server, what);
    const { id, headers } = await newToken(server);
    const other = await server.fetch(file);
    const answer = await server.fetch(path, { headers });
    expect(answer.status).toBe(200);
    const reader = answer.body!.getReader();
    await reader.read();
    const revokedAt = performance.now();
    await server.call("DELETE", `/api/tokens/${id}`, undefined, 204);
    await expect(readAll(reader)).rejects.toThrow("terminated");
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
    expect(await readAll(other.body!.getReader())).toBe(MUCH_BYTES);
  },
);

test.skipIf(ON_POSTGRES)(
  "a backup whose credential is revoked while it is made is not sent, and leaves no copy behind",
  async () => {
    let revoke = () => Promise.resolve();
    const server = await openServer({
      wrap: (store) =>
        override(store, {
          async backup(file) {
            await revoke();
            return store.backup(file);
          },
        }),
    });
    const { id, headers } = await newToken(server);
    const socket = await server.socket(headers);
    revoke = async () => {
      await server.call("DELETE", `/api/tokens/${id}`, undefined, 204);
      await socket.closed; // so the revocation was heard
    };
    const refused = await server.fetch("/api/backup", { headers });
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
    expect(await refused.json()).toMatchObject({ code: "unauthorized" });
    await until(async () => (await readdir(join(server.folder, "backup"))).length === 0);
    revoke = () => Promise.resolve();
    expect((await server.fetch("/api/backup")).status).toBe(200);
  },
);

/** What is so long that it is still being sent when its reader has its beginning; and the file that makes it so. */
async function longAnswer(server: OpenServer, what: string): Promise<{ path: string; file: string }> {
  const upload = await server.fetch("/api/files", { method: "POST", body: new Uint8Array(MUCH_BYTES) });
  const { file: id } = (await upload.json()) as { file: string };
  const file = `/api/files/${id}`;
  if (what === "a file") return { path: file, file };
  const input = { kind: "prompt", text: "look", attachments: [{ file: id }] };
  const session = await server.newSession({ input });
  const path = what === "a backup" ? "/api/backup" : `/api/sessions/${session.id}/export?format=jsonl`;
  return { path, file };
}

async function newToken(server: OpenServer) {
  const { id, token } = await server.call<{ id: string; token: string }>("POST", "/api/tokens", {
    name: "ci",
  });
  return { id, headers: { authorization: `Bearer ${token}` } };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) bytes += next.value.byteLength;
  return bytes;
}
