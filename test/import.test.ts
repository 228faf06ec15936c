// A session moves from one server to another, whatever they keep it in: exported, deleted, brought in again.
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { SessionRow } from "../src/client/commands.ts";
import { formatPosition } from "../src/session/position.ts";
import { callApi } from "./call-api.ts";
import { envOf, holdfast, holdfastJson, type Env } from "./holdfast.ts";
import { until } from "./open-server.ts";
import { useDatabase } from "./postgres.ts";
import { readLog } from "./seen-facts.ts";
import { startServer, type ServerOptions, type ServerProcess } from "./server-process.ts";

const databaseUrl = await useDatabase();

it("a transcript is the same after an export, a deletion and an import, here and on another kind of store", async () => {
  const [onPostgres, onSqlite] = await Promise.all([started({ databaseUrl }), started()]);
  const [from, to] = [envOf(onPostgres), envOf(onSqlite)];
  const { id } = await callApi<SessionRow>(onPostgres, "POST", "/api/sessions", {
    title: "Travels",
    input: { kind: "prompt", text: `What is ${"very ".repeat(20_000)}far?` },
  });
  await until(async () => (await readLog(onPostgres, id)).some(({ type }) => type === "turn_ended"));
  const file = join(onPostgres.home, "travels.jsonl");
  expect(await holdfast(from, ["sessions", "export", id, "--format", "jsonl", "-o", file])).toMatchObject({
    code: 0,
  });
  const words = await transcript(from, id);
  expect(await holdfast(from, ["sessions", "rm", id, "--force"])).toMatchObject({ code: 0 });

  const back = (await holdfast(from, ["sessions", "import", file])).out.trim();
  expect(await transcript(from, back)).toBe(words);
  const moved = await holdfastJson<SessionRow>(to, [
    "sessions",
    "import",
    file,
    "--workspace",
    onSqlite.home,
  ]);
  expect(moved).toMatchObject({ title: "Travels", status: "idle", queued: 0, workspace: onSqlite.home });
  expect(await transcript(to, moved.id)).toBe(words);
  // And from there on, by way of a pipe.
  const { out: lines } = await holdfast(to, ["sessions", "export", moved.id, "--format", "jsonl"]);
  const { code, out } = await holdfast(to, ["sessions", "import", "-"], lines);
  expect(code).toBe(0);
  expect(await transcript(to, out.trim())).toBe(words);

  const cut = join(onSqlite.home, "cut.jsonl");
  await writeFile(cut, (await readFile(file, "utf8")).split("\n").slice(0, -2).join("\n"));
  expect(await holdfast(to, ["sessions", "import", cut])).toMatchObject({
    code: 2,
    err: expect.stringContaining("cut off") as string,
  });
  expect(await holdfast(to, ["sessions", "import", cut, "--partial"])).toMatchObject({ code: 0 });
  expect(await holdfast(to, ["sessions", "import", "/no/such/file"])).toMatchObject({ code: 3 });
});

it("nothing is left of an import whose server was killed in the middle of it", async () => {
  const server = await started();
  const written = () => {
    const file = new DatabaseSync(join(server.home, "holdfast.db"), { readOnly: true });
    const { count } = file.prepare("select count(*) as count from event").get() as { count: number };
    file.close();
    return count;
  };
  const line = (n: number, type: string, data: object) => {
    const position = formatPosition(n, 0);
    return `${JSON.stringify({ position, at: "2026-01-02T03:04:05.678Z", by: { person: "ada" }, type, data })}\n`;
  };
  const sending = request(`${server.url}/api/sessions/import`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${server.token}` },
  });
  sending.on("error", () => {}); // its server goes away
  sending.write(line(1, "session_created", { profile: "default" }));
  for (let n = 2; n <= 1_100; n++) sending.write(line(n, "session_titled", { title: `heron ${n}` }));
  await expect.poll(written).toBe(1_000);
  await server.kill("SIGKILL");
  sending.destroy();
  expect(written()).toBe(1_000);
  await server.start();
  expect(await callApi(server, "GET", "/api/sessions")).toMatchObject({ items: [] });
  expect(await callApi(server, "GET", "/api/search?q=heron")).toMatchObject({ items: [] });
  await expect.poll(written).toBe(0);
  expect(await callApi(server, "GET", "/api/check")).toMatchObject({ damaged: [], problems: [] });
});

async function started(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServer(options);
  onTestFinished(() => server.remove());
  return server;
}

async function transcript(env: Env, id: string): Promise<string> {
  const { code, out } = await holdfast(env, ["sessions", "export", id]);
  expect(code).toBe(0);
  return out;
}
