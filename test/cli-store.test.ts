// The store as a whole, from the command line: backup, restore, doctor.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, expect, inject, it } from "vitest";
import type { SessionRow } from "../src/client/commands.ts";
import type { AnyEvent } from "../src/session/event.ts";
import { begin, envOf, holdfast, holdfastJson } from "./holdfast.ts";
import { createDatabase } from "./postgres.ts";
import { readLog } from "./seen-facts.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

it("a backup of the running server, restored elsewhere, holds everything that was there", async () => {
  const server = await started();
  const env = envOf(server);
  for (const n of [1, 2, 3]) await begin(env, `Session ${n}`, `text ${n}`);
  await holdfast(env, ["sessions", "pin", "Session 2"]);
  await holdfast(env, ["token", "create", "kept"]);
  const folder = await temporary();
  const file = join(folder, "all.backup");
  expect(await holdfast(env, ["backup", file])).toMatchObject({ code: 0, err: "" });
  const refused = await holdfast(env, ["backup", file]); // never over another
  expect(refused).toMatchObject({
    code: 4,
    err: expect.stringContaining("name another file, or remove it first"),
  });
  await begin(env, "Too late", "for the backup");

  const held = await holdfast(env, ["restore", file]);
  expect(held).toMatchObject({ code: 4, out: "" });

  const home = join(folder, "home");
  const restored = await holdfast({ HOLDFAST_HOME: home }, ["restore", file, "--json"]);
  expect(restored).toMatchObject({ code: 0, err: "" });
  const other = await started(home);
  expect(await sessionsOf(other)).toEqual(
    (await sessionsOf(server)).filter(({ title }) => title !== "Too late"),
  );
  expect(await sessionsOf(other)).toHaveLength(3);
  for (const { id } of await sessionsOf(other))
    expect(await readLog(other, id)).toEqual(await readLog(server, id));
  const { items: tokens } = await holdfastJson<{ items: { name: string }[] }>(envOf(other), [
    "token",
    "list",
  ]);
  expect(tokens.map(({ name }) => name)).toContain("kept");

  // The server being gone, the store itself is copied, and put back over what is there.
  await other.kill("SIGTERM");
  const again = join(folder, "again.backup");
  expect((await holdfast({ HOLDFAST_HOME: home }, ["backup", again, "--json"])).out).toContain(
    '"from":"store itself"',
  );
  const over = await holdfast({ HOLDFAST_HOME: home }, ["restore", again, "--json"]);
  expect(over.code).toBe(0);
  expect((JSON.parse(over.out) as { kept: string | null }).kept).not.toBeNull();
  await other.start();
  expect(await sessionsOf(other)).toHaveLength(3);
});

it("a backup is of the store of this home, even where the server of another home answers in its place", async () => {
  const other = await started();
  const here = await started();
  // Both servers know the same token, and the other one listens where this home's would.
  const env = {
    HOLDFAST_HOME: here.home,
    HOLDFAST_TOKEN: here.token,
    HOLDFAST_PORT: new URL(other.url).port,
  };
  const session = await begin(envOf(here), "Of this home", "here");
  const folder = await temporary();

  const held = join(folder, "held.backup");
  expect((await holdfast(env, ["backup", held, "--json"])).out).toContain('"from":"running server"');
  expect(await readFile(held, "latin1")).toContain(session);

  const server = join(here.home, "server.json");
  const wrote = await readFile(server, "utf8");
  await writeFile(server, wrote.replace(here.url, other.url));
  const astray = join(folder, "astray.backup");
  expect(await holdfast(env, ["backup", astray])).toMatchObject({
    code: 4,
    err: expect.stringContaining(`The server at ${other.url} is not that one`),
  });
  await rm(server);
  expect(await holdfast(env, ["backup", astray])).toMatchObject({ code: 4, out: "" });
  expect(existsSync(astray)).toBe(false);

  await here.kill();
  const free = join(folder, "free.backup");
  expect((await holdfast(env, ["backup", free, "--json"])).out).toContain('"from":"store itself"');
  expect(await readFile(free, "latin1")).toContain(session);

  const none = { ...env, HOLDFAST_HOME: join(folder, "none") };
  expect((await holdfast(none, ["backup", astray])).code).toBe(3);
  // Whoever names a server means that one.
  expect((await holdfast({ ...env, HOLDFAST_URL: here.url }, ["backup", astray])).code).toBe(5);
  const named = await holdfast({ ...env, HOLDFAST_URL: other.url }, ["backup", astray]);
  expect(named).toMatchObject({ code: 0, err: "" });
  expect(await readFile(astray, "latin1")).not.toContain(session);
});

it("a token that was revoked after a backup is not made valid again by restoring it, nor is a login", async () => {
  const server = await started();
  const env = envOf(server);
  const made = async (name: string) =>
    holdfastJson<{ id: string; token: string }>(env, ["token", "create", name]);
  const [kept, leaked] = [await made("kept"), await made("leaked")];
  const browser = await loggedIn(server);
  const folder = await temporary();
  const file = join(folder, "all.backup");
  await holdfast(env, ["backup", file]);
  expect((await holdfast(env, ["token", "revoke", leaked.id])).code).toBe(0);
  const statusOf = async ({ url }: { url: string }, secret: string) =>
    (await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${secret}` } })).status;
  expect(await statusOf(server, browser)).toBe(200);
  await server.kill("SIGKILL"); // what was revoked is in the log of its file alone

  // The second time the store that is there is itself a restored one, under another id.
  for (const _ of [1, 2]) {
    const restored = await holdfast({ HOLDFAST_HOME: server.home }, ["restore", file]);
    expect(restored).toMatchObject({ code: 0, err: "" });
    expect(restored.out).toContain("left out 1 token that the store before did not have");
  }
  await server.start();
  expect(await statusOf(server, kept.token)).toBe(200);
  expect(await statusOf(server, leaked.token)).toBe(401);
  expect(await statusOf(server, browser)).toBe(401);

  // Where there is nothing to compare with, or another store, which can't have revoked anything of it, it is said.
  const elsewhere = await started();
  await elsewhere.kill("SIGTERM");
  for (const home of [elsewhere.home, join(folder, "home")]) {
    const restored = await holdfast({ HOLDFAST_HOME: home }, ["restore", file]);
    expect(restored.out).toContain("3 tokens of the backup are valid here, revoked since or not");
  }
  await elsewhere.start();
  expect(await statusOf(elsewhere, leaked.token)).toBe(200);
});

it("what is no backup is not restored", async () => {
  const folder = await temporary();
  const file = join(folder, "not-one");
  await writeFile(file, "hello");
  const env = { HOLDFAST_HOME: join(folder, "home") };
  const refused = await holdfast(env, ["restore", file]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`${file} is no backup of Holdfast`);
  expect(refused.err).not.toContain("doctor");
  expect((await holdfast(env, ["restore", join(folder, "nothing")])).code).toBe(3);
  expect((await holdfast({ ...env, HOLDFAST_PORT: "abc" }, ["restore", file])).code).toBe(2);
  expect(existsSync(env.HOLDFAST_HOME)).toBe(false); // nothing is left behind
});

it("doctor tells what is in force and that all is well, with a server and without", async () => {
  const server = await started();
  const env = envOf(server);
  await begin(env, "Well", "hello");
  type Report = {
    store: { state: string; through: string; events: number; damaged: [] };
    server: { state: string };
    settings: { name: string; origin: string }[];
    wrong: [];
  };
  const running = await holdfastJson<Report>(env, ["doctor"]);
  expect(running).toMatchObject({
    store: { state: "checked", through: "server", events: 2, damaged: [] },
    server: { state: "running" },
    wrong: [],
  });
  expect(running.settings).toContainEqual({ name: "home", value: server.home, origin: "HOLDFAST_HOME" });

  await server.kill("SIGTERM");
  const stopped = await holdfastJson<Report>(env, ["doctor"]);
  expect(stopped).toMatchObject({
    store: { state: "checked", through: "store", events: 2 },
    server: { state: "not running" },
  });
  const plain = await holdfast(env, ["doctor"]);
  expect(plain).toMatchObject({ code: 0, err: "" });
  expect(plain.out).toContain("all as they were written");
  const empty = await holdfastJson<Report>({ ...env, HOLDFAST_HOME: join(server.home, "none") }, ["doctor"]);
  expect(empty.store).toEqual({ state: "absent" });
});

it("doctor warns of a database that is set to lose what was written when it crashes", async () => {
  const database = await createDatabase(inject("postgresUrl"));
  cleanups.push(() => database.drop());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  cleanups.push(() => client.end());
  const env = { HOLDFAST_HOME: join(await temporary(), "home"), HOLDFAST_DATABASE_URL: database.url };
  const name = new URL(database.url).pathname.slice(1);
  const { rows } = await client.query<{ fsync: string }>("show fsync");
  for (const waits of ["off", "local"]) {
    await client.query(`alter database ${name} set synchronous_commit = ${waits}`);
    const { store } = await holdfastJson<{ store: { warnings: string[] } }>(env, ["doctor"]);
    expect(store.warnings.filter((text) => text.startsWith("fsync is off"))).toHaveLength(
      rows[0]?.fsync === "off" ? 1 : 0,
    );
    expect(store.warnings.filter((text) => text.startsWith("synchronous_commit is off"))).toHaveLength(
      waits === "off" ? 1 : 0,
    );
    const { code, out } = await holdfast(env, ["doctor"]);
    expect(code).toBe(0); // a warning, as someone may have chosen it
    for (const warning of store.warnings) expect(out).toContain(warning);
  }
});

it("doctor starts each MCP server to see whether it does, and names one that does not", async () => {
  const home = await mkdtemp(join(tmpdir(), "holdfast-mcp-"));
  const program = fileURLToPath(new URL("../src/tool/mcp/scene-server.ts", import.meta.url));
  const commandOf = (mode: string) => JSON.stringify([process.execPath, program, mode]);
  await writeFile(
    join(home, "config.toml"),
    `[mcp.good]\ncommand = ${commandOf("plain")}\n[mcp.bad]\ncommand = ${commandOf("dies")}\n`,
  );
  const { code, out, err } = await holdfast({ HOLDFAST_HOME: home }, ["doctor"]);
  await rm(home, { recursive: true });
  expect(code).toBe(1);
  expect(out).toMatch(/good +10 tools/);
  expect(out).toMatch(/bad +it ended with 3: the key is missing/);
  expect(err).toContain("the MCP server bad does not start: it ended with 3");
}, 60_000);

it("doctor names a log with a flipped bit, and rescues what is in front of it", async () => {
  const server = await started();
  const env = envOf(server);
  const good = await begin(env, "Unharmed", "fine");
  const session = await begin(env, "Harmed", "first");
  for (const text of ["second", "third is the one", "fourth"]) await holdfast(env, ["send", session, text]);
  await server.kill("SIGTERM");
  await flip(join(server.home, "holdfast.db"), "third is the one", "third is thE one");

  for (const through of ["store", "server"]) {
    if (through === "server") await server.start();
    const folder = join(server.home, `rescued-${through}`);
    const { code, out, err } = await holdfast(env, ["doctor", "--export", folder, "--json"]);
    expect(code).toBe(1);
    const { store } = JSON.parse(out) as {
      store: { through: string; damaged: object[]; exported: { file: string; events: number }[] };
    };
    expect(store).toMatchObject({
      through,
      damaged: [{ log: session, position: "0000000000000004_0000000000000000" }],
      exported: [{ log: session, events: 3 }],
    });
    expect(err).toContain(session);
    expect(err).not.toContain(good);
    const rescued = (await readFile(store.exported[0]!.file, "utf8")).trimEnd().split("\n");
    expect(rescued.map((line) => (JSON.parse(line) as AnyEvent).position.slice(0, 16)).map(Number)).toEqual([
      1, 2, 3,
    ]);
  }
});

it("an export of a damaged log keeps what is in front of the damage, and ends with 1", async () => {
  const server = await started();
  const env = envOf(server);
  const { id } = (await (
    await server.fetch("/api/sessions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "good title" }),
    })
  ).json()) as { id: string };
  await holdfast(env, ["sessions", "rename", id, "bad title"]);
  await server.kill("SIGTERM");
  await flip(join(server.home, "holdfast.db"), '{"title":"bad title"}', '{"title":"BAD title"}');
  await server.start();

  const file = join(server.home, "export.jsonl");
  const toFile = await holdfast(env, ["sessions", "export", id, "--format", "jsonl", "-o", file]);
  expect([toFile.code, toFile.err]).toEqual([1, expect.stringContaining(`are in ${file}`)]);
  const printed = await holdfast(env, ["sessions", "export", id, "--format", "jsonl"]);
  expect([printed.code, printed.err]).toEqual([1, expect.stringContaining("cut off")]);
  for (const text of [await readFile(file, "utf8"), printed.out])
    expect(text.split("\n").map((line) => (line === "" ? "" : (JSON.parse(line) as AnyEvent).type))).toEqual([
      "session_created",
      "",
    ]);
});

it("doctor names every log of a file that no server can open any more, and rescues them", async () => {
  const server = await started();
  const env = envOf(server);
  const sessions = [await begin(env, "One", "first"), await begin(env, "Two", "second")];
  await server.kill("SIGTERM");
  const file = join(server.home, "holdfast.db");
  const database = new DatabaseSync(file, { readOnly: true });
  const roots = database
    .prepare("select rootpage from sqlite_schema where name in ('span', 'event_place', 'node')")
    .all();
  database.close();
  const bytes = await readFile(file);
  for (const { rootpage } of roots) bytes.fill(0xa5, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
  await writeFile(file, bytes);

  const folder = join(server.home, "rescued");
  const { code, out, err } = await holdfast(env, ["doctor", "--export", folder]);
  expect(code).toBe(1);
  for (const session of sessions) {
    expect(out).toContain(join(folder, `${session}.jsonl`));
    expect(await readFile(join(folder, `${session}.jsonl`), "utf8")).toContain("input_admitted");
  }
  expect(out + err).not.toContain("holdfast doctor");
});

/** The secret of a browser's cookie. */
async function loggedIn(server: ServerProcess): Promise<string> {
  const { url } = (await (await server.fetch("/api/login-links", { method: "POST" })).json()) as {
    url: string;
  };
  const answer = await fetch(`${server.url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ secret: new URL(url).hash.slice(1) }),
  });
  return /=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";
}

async function sessionsOf(server: ServerProcess): Promise<SessionRow[]> {
  const answer = await server.fetch("/api/sessions?limit=200");
  return ((await answer.json()) as { items: SessionRow[] }).items;
}

async function started(home?: string): Promise<ServerProcess> {
  const server = await startServer(home === undefined ? { agents: false } : { home, agents: false });
  cleanups.push(() => server.remove());
  return server;
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** In the file itself, as a failing disk would. */
async function flip(file: string, from: string, to: string): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.indexOf(from);
  expect(at).toBeGreaterThan(0);
  bytes.write(to, at);
  await writeFile(file, bytes);
}
