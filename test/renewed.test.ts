// A PostgreSQL database that its own tools brought back keeps its id, and with it every client's belief that positions of the
// abandoned time are its own; until it is told that it is another store.
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, inject, it } from "vitest";
import { WebSocket } from "ws";
import type { Overview } from "../src/protocol/http.ts";
import type { ServerFrame } from "../src/protocol/socket.ts";
import type { AnyEvent } from "../src/session/event.ts";
import { startAgentServer, type Conversation } from "./agent-server.ts";
import { callApi } from "./call-api.ts";
import { envOf, holdfast, type Env } from "./holdfast.ts";
import { createDatabase } from "./postgres.ts";
import { readLog } from "./seen-facts.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

it("who comes back with a position of the abandoned time is resynced, and nothing is renewed while a node lives", async () => {
  const first = await database();
  const server = await startServer({ databaseUrl: first, agents: false });
  cleanups.push(() => server.remove());
  const { id } = await callApi<{ id: string }>(server, "POST", "/api/sessions", {});
  await titled(server, id, 1);
  await server.kill("SIGTERM");
  const second = await copyOf(first); // the dump

  await server.start();
  const { store: old } = await callApi<Overview>(server, "GET", "/api/overview");
  await titled(server, id, 3);
  const abandoned = (await readLog(server, id)).at(-1)!.position;
  await server.kill("SIGKILL"); // its row of a node stays, and says nothing

  const env = { ...envOf(server), HOLDFAST_DATABASE_URL: second };
  await server.start({ HOLDFAST_DATABASE_URL: second });
  const refused = await holdfast(env, ["restore", "--renew"]);
  expect(refused).toMatchObject({ code: 4, out: "" });
  expect(refused.err).toContain(`:${server.pid}`);
  expect(refused.err).toContain("stop every one");
  await server.kill("SIGTERM");

  const renewed = await holdfast(env, ["restore", "--renew", "--json"]);
  expect(renewed).toMatchObject({ code: 0, err: "" });
  const { was, is } = JSON.parse(renewed.out) as { was: string; is: string };
  expect([was, is === old]).toEqual([old, false]);

  await server.start({ HOLDFAST_DATABASE_URL: second });
  expect((await callApi<Overview>(server, "GET", "/api/overview")).store).toBe(is);
  await titled(server, id, 3); // the same digits name another event now
  expect((await readLog(server, id)).at(-1)!.position).toBe(abandoned);
  const events = `/api/sessions/${id}/events?offset=${abandoned}`;
  expect((await server.fetch(`${events}&store=${was}`)).status).toBe(409);
  expect((await server.fetch(`${events}&store=${is}`)).status).toBe(200);
  const [resync] = await attached(server, { session: id, after: abandoned, store: was });
  expect(resync).toMatchObject({ op: "resync", reason: "other_store" });
});

it("what ran by a renewed database and left no trace in the home that came back is lost, and not run again", async () => {
  const there = await startAgentServer({ dialect: "postgres", says }, (cleanup) => cleanups.push(cleanup));
  cleanups.push(() => there.touch("go"));
  const session = await there.send("echo ran >> ran; until [ -e go ]; do sleep 0.05; done");
  await expect.poll(() => there.file("ran")).toBe("ran\n");
  await there.kill("SIGKILL");
  const env: Env = { ...envOf(there), HOLDFAST_DATABASE_URL: await copyOf(there.databaseUrl!) };
  // The home is that of a moment before the command began.
  const folder = join(there.home, "processes");
  for (const name of await readdir(folder))
    if (name.startsWith("prc_")) await rm(join(folder, name), { recursive: true });

  const renewed = await holdfast(env, ["restore", "--renew"]);
  expect(renewed).toMatchObject({ code: 0, err: "" });
  expect(renewed.out).toMatch(/^this store was sto_\w+ and is sto_\w+ from now on\n1 process ran by it/);
  await there.start({ HOLDFAST_DATABASE_URL: env["HOLDFAST_DATABASE_URL"]! });
  const log = await there.untilFact(session, "turn_ended");
  expect(dataOf(log, "tool_finished")).toMatchObject([{ status: "unknown" }]);
  expect(dataOf(log, "process_lost")).toHaveLength(1);
  expect(await there.file("ran")).toBe("ran\n");
});

it("what is no store of Holdfast's is not renewed, and what to do is said to whoever names a file", async () => {
  const env = { HOLDFAST_DATABASE_URL: await database(), HOLDFAST_HOME: "/nonexistent" };
  const refused = await holdfast(env, ["restore", "--renew"]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("was not made by Holdfast") });
  expect((await holdfast(env, ["restore", "all.backup"])).err).toContain("holdfast restore --renew");
  expect((await holdfast(env, ["restore"])).code).toBe(2);
  expect((await holdfast(env, ["restore", "all.backup", "--renew"])).code).toBe(2);
});

it("a SQLite store whose file came back by itself is renewed the same way", async () => {
  const server = await startServer({ agents: false });
  cleanups.push(() => server.remove());
  const { store } = await callApi<Overview>(server, "GET", "/api/overview");
  expect((await holdfast(envOf(server), ["restore", "--renew"])).code).toBe(4);
  await server.kill("SIGKILL"); // what it committed last is in its journal only
  const { code, out } = await holdfast(envOf(server), ["restore", "--renew", "--json"]);
  expect([code, JSON.parse(out)]).toMatchObject([0, { was: store, running: 0 }]);
  await server.start();
  const { store: now } = await callApi<Overview>(server, "GET", "/api/overview");
  expect(now).toBe((JSON.parse(out) as { is: string }).is);
});

/** Runs the prompt as a command, then says what came of it. */
const says: Conversation = ({ prompts, results }) =>
  results.length > 0
    ? { reply: "message", text: "I see." }
    : { reply: "message", calls: [{ name: "shell", args: { command: prompts.at(-1) ?? "" } }] };

async function database(copied?: string): Promise<string> {
  const made = await createDatabase(inject("postgresUrl"), copied);
  cleanups.push(() => made.drop());
  return made.url;
}

/** Once PostgreSQL has noticed that whoever was killed is gone. */
async function copyOf(url: string): Promise<string> {
  let copy: string | undefined;
  await expect
    .poll(async () => (copy ??= await database(url).catch(() => undefined)), { timeout: 15_000 })
    .toBeDefined();
  return copy!;
}

async function titled(server: ServerProcess, id: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++)
    await callApi(server, "PATCH", `/api/sessions/${id}`, { title: `title ${Math.random()}` });
}

/** The first frame about a session that it attaches to. */
async function attached(server: ServerProcess, to: object): Promise<ServerFrame[]> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  cleanups.push(async () => socket.terminate());
  socket.on("open", () => socket.send(JSON.stringify({ op: "attach", ...to })));
  for (;;) {
    const [data] = (await once(socket, "message")) as [Buffer];
    const frame = JSON.parse(data.toString()) as ServerFrame;
    if (frame.op !== "hello" && frame.op !== "ping") return [frame];
  }
}

function dataOf(log: readonly AnyEvent[], type: string): unknown[] {
  return log.filter((event) => event.type === type).map(({ data }) => data);
}
