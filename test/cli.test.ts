// The command line against a real server, as processes.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { SessionRow, ShownSession } from "../src/client/commands.ts";
import type { AnyEvent, NewEvent } from "../src/session/event.ts";
import { begin, envOf, holdfast, holdfastJson, startHoldfast, type Env, type Running } from "./holdfast.ts";
import { createDatabase } from "./postgres.ts";
import { expectEveryFactOnce, facts, readLog } from "./seen-facts.ts";
import { startScriptedServer } from "./scripted-server.ts";
import { freePort, startServer, type ServerProcess } from "./server-process.ts";

const WAIT_MS = 20_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  let server: ServerProcess;
  let env: Env;
  let drop = () => Promise.resolve();

  beforeAll(async () => {
    if (dialect === "postgres") {
      const database = await createDatabase(inject("postgresUrl"));
      drop = () => database.drop();
      server = await startServer({ databaseUrl: database.url, agents: false });
    } else server = await startServer({ agents: false });
    env = envOf(server);
  });
  afterAll(async () => {
    await server.remove();
    await drop();
  });

  it("a session is begun, found by what people call it, and arranged", async () => {
    const session = await begin(env, "Red build", "Why is the build red?");
    const sent = await holdfast(env, ["send", "red build", "-"], "from\nstdin\n");
    expect(sent).toMatchObject({ code: 0, out: `${session}\n`, err: "" });

    const { items } = await holdfastJson<{ items: SessionRow[] }>(env, ["sessions", "list"]);
    expect(items.map(({ id, title, status }) => ({ id, title, status }))).toEqual([
      { id: session, title: "Red build", status: "queued" },
    ]);
    expect((await holdfast(env, ["sessions", "list"])).out).toMatch(
      new RegExp(`^ID .*\\n${session} +Red build`),
    );

    const shown = await holdfastJson<ShownSession>(env, ["sessions", "show", "latest"]);
    expect(shown.view.queue.map(({ text }) => text)).toEqual(["Why is the build red?", "from\nstdin\n"]);
    expect((await holdfast(env, ["sessions", "show", session.slice(0, 20)])).out).toContain(
      "  Why is the build red?\n",
    );

    await holdfast(env, ["sessions", "rename", session, "Green", "build"]);
    await holdfast(env, ["sessions", "pin", "green build"]);
    const archived = await holdfastJson<SessionRow>(env, ["sessions", "archive", "green build"]);
    expect(archived).toMatchObject({ title: "Green build", pinned: true, archived: true });
    expect((await holdfastJson<{ items: [] }>(env, ["sessions", "list"])).items).toEqual([]);
    await holdfast(env, ["sessions", "unpin", session]);
    expect(await holdfastJson<SessionRow>(env, ["sessions", "unarchive", session])).toMatchObject({
      pinned: false,
      archived: false,
    });

    const status = await holdfastJson<{ active: SessionRow[]; sessions: object }>(env, ["status"]);
    expect(status.active.map(({ id }) => id)).toEqual([session]);
    expect(status.sessions).toMatchObject({ queued: 1 });
  });

  it("words are found, a session is taken along, forked and removed", async () => {
    const session = await begin(env, "To search", "the heron waits for the tide");
    const { items } = await holdfastJson<{ items: { session: string; snippet: string }[] }>(env, [
      "sessions",
      "search",
      "heron",
      "tide",
    ]);
    expect(items).toMatchObject([{ session, snippet: "the heron waits for the tide" }]);
    expect(await holdfast(env, ["sessions", "search", " "])).toMatchObject({
      code: 2,
      err: "holdfast: there is nothing to search for: no word was given\n",
    });

    const lines = (await holdfast(env, ["sessions", "export", session, "--format", "jsonl"])).out
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line) as AnyEvent)).toEqual([
      ...(await readLog(server, session)),
      { end: expect.any(String) as string, session },
    ]);
    const file = join(server.home, "exported.md");
    expect(await holdfast(env, ["sessions", "export", session, "-o", file])).toMatchObject({
      code: 0,
      err: "",
    });
    expect(await readFile(file, "utf8")).toContain("the heron waits for the tide");
    const refused = await holdfast(env, ["sessions", "export", session, "-o", file]);
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining("replace it with --force") });

    const fork = (await holdfastJson<SessionRow>(env, ["sessions", "fork", session])).id;
    expect(fork).not.toBe(session);
    expect(await holdfast(env, ["sessions", "rm", fork, "--force"])).toMatchObject({
      code: 0,
      out: `deleted ${fork}\n`,
    });
    expect(await holdfast(env, ["sessions", "show", fork])).toMatchObject({ code: 3 });
  });

  it("attach shows everything, then what happens, through kills of the server, each fact once", async () => {
    const session = await begin(env, "Through kills", "message 0");
    const json = attach(env, session, "--json");
    const read = attach(env, session);
    await vi.waitFor(() => expect(facts(json.json<AnyEvent>())).toHaveLength(2), WAIT_MS); // it is attached
    for (let kill = 1; kill <= 3; kill++) {
      await vi.waitFor(() => expect(read.out).toContain(`message ${kill - 1}`), WAIT_MS);
      await server.kill("SIGKILL");
      await server.start();
      await holdfast(env, ["send", session, `message ${kill}`]);
    }
    const log = await readLog(server, session);
    await vi.waitFor(() => expect(facts(json.json<AnyEvent>())).toHaveLength(log.length), WAIT_MS);
    expectEveryFactOnce(json.json<AnyEvent>(), log);
    await vi.waitFor(() => expect(read.out).toContain("message 3"), WAIT_MS);
    expect(read.out.match(/message \d/g)).toEqual(["message 0", "message 1", "message 2", "message 3"]);
    expect(read.err).toBe(""); // quiet about its progress in a pipe

    const [, second] = log;
    const later = attach(env, session, "--json", "--from", second!.position);
    await vi.waitFor(() => expect(later.json()).toHaveLength(log.length - 2), WAIT_MS);
    expect(later.json()).toEqual(log.slice(2));
    for (const reader of [json, read, later]) {
      reader.signal("SIGINT");
      expect((await reader.ended).code).toBe(0);
    }
  });

  it("a token lets in until it is revoked, and what it has open ends then", async () => {
    const made = await holdfastJson<{ id: string; token: string; kind: string }>(env, [
      "token",
      "create",
      "ci",
    ]);
    expect(made.kind).toBe("program");
    const other = { ...env, HOLDFAST_TOKEN: made.token };
    const session = await begin(other, "By a program", "hello");
    const attached = attach(other, session);
    await vi.waitFor(() => expect(attached.out).toContain("hello"), WAIT_MS);
    expect((await holdfast(env, ["token", "list"])).out).toContain(made.id);

    expect(await holdfast(env, ["token", "revoke", "ci"])).toMatchObject({
      code: 0,
      out: `revoked ${made.id}\n`,
    });
    expect(await attached.ended).toMatchObject({ code: 1 });
    expect(await holdfast(other, ["status"])).toMatchObject({ code: 1, out: "" });
    expect(await holdfast(env, ["token", "revoke", "ci"])).toMatchObject({ code: 3 });
  });
});

it("without a server a command ends with 5 and says what to do", async () => {
  const env = { HOLDFAST_URL: `http://127.0.0.1:${await freePort()}`, HOLDFAST_HOME: await temporary() };
  const { code, out, err } = await holdfast(env, ["status"]);
  expect({ code, out }).toEqual({ code: 5, out: "" });
  expect(err).toContain('Start the server with "holdfast serve"');
});

it("words reach a reader as they come, and go on after a kill in mid-sentence, each once", async () => {
  const server = await startScriptedServer();
  cleanups.push(() => server.remove());
  await server.listen();
  const session = await server.create("Told");
  const [turn, step] = ["turn_1", "step_1"];
  const draft = (offset: number, text: string): NewEvent => ({
    type: "draft",
    data: { part: `${step}.1/0`, kind: "text", offset, text },
  });
  await server.append(session, [
    { type: "turn_started", data: { turn, inputs: [] } },
    { type: "step_started", data: { turn, step, attempt: 1, model: "scripted/one" } },
  ]);
  const env = { HOLDFAST_URL: server.url, HOLDFAST_TOKEN: server.token, HOLDFAST_HOME: await temporary() };
  const read = attach(env, "Told");
  const reads = (end: string) => vi.waitFor(() => expect(read.out.endsWith(end)).toBe(true), WAIT_MS);
  await server.append(session, [draft(0, "It was ")]);
  await reads("\nIt was ");
  await server.append(session, [draft(7, "a dark ")]);
  await reads("\nIt was a dark ");
  await server.kill();
  await server.start();
  await server.append(session, [draft(14, "and stormy ")]);
  await server.listen();
  await reads("\nIt was a dark and stormy ");
  const message = [{ type: "text" as const, text: "It was a dark and stormy night." }];
  await server.append(session, [{ type: "step_completed", data: { step, attempt: 1, message } }]);
  await reads("\nIt was a dark and stormy night.\n");
  await server.append(session, [{ type: "session_ended", data: { reason: "told" } }]);
  expect(await read.ended).toMatchObject({ code: 0, err: "" }); // nothing more will come
  expect(read.out).toMatch(/^Told\n.*\n\nIt was a dark and stormy night\.\n── ended: told\n$/);
});

describe("whatever the store", () => {
  let server: ServerProcess;
  let env: Env;
  beforeAll(async () => {
    server = await startServer({ agents: false });
    env = envOf(server);
  });
  afterAll(() => server.remove());

  it("a login link logs a browser in once, and the login can be revoked", async () => {
    const { url } = await holdfastJson<{ url: string }>(env, ["login"]);
    expect((await holdfast(env, ["login"])).out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login#\S+\n$/);
    const answer = await fetch(`${server.url}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ secret: new URL(url).hash.slice(1) }),
    });
    expect(answer.status).toBe(200);
    const [login] = (await holdfastJson<{ items: { id: string }[] }>(env, ["logins", "list"])).items;
    expect(await holdfast(env, ["logins", "revoke", login!.id])).toMatchObject({ code: 0 });
    expect((await holdfastJson<{ items: [] }>(env, ["logins", "list"])).items).toEqual([]);
  });

  it("every way to fail has its exit code, one line for people and a document for programs", async () => {
    const session = await begin(env, "Twin", "one");
    await begin(env, "Twin", "two");
    const ways: [string[], number, string][] = [
      [["sessions", "show", "nobody"], 3, "not_found"],
      [["sessions", "rename", "twin", "x"], 4, "conflict"],
      [["sessions", "rm", session], 4, "live"],
      [["sessions", "list", "--limit", "0"], 2, "usage"],
      [["sessions", "lst"], 2, "usage"],
      [["send", session, " "], 2, "usage"],
      [["sessions", "rename", session, "x".repeat(400)], 2, "schema"],
    ];
    expect((await holdfast(env, ["sessions", "rm", session])).err).toMatch(/or delete it with --force\.\n$/);
    const refused = await holdfast({ ...env, HOLDFAST_TOKEN: "nonsense" }, ["sessions", "list"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("The token was refused");
    for (const HOLDFAST_TOKEN of ["two words", "schlüssel", "x".repeat(501)]) {
      const unsendable = await holdfast({ ...env, HOLDFAST_TOKEN }, ["sessions", "list"]);
      expect(unsendable).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^holdfast: HOLDFAST_TOKEN has /),
      });
    }
    const nowhere = join(await temporary(), "nowhere");
    expect(await holdfast(env, ["backup", join(nowhere, "all.backup")])).toEqual({
      code: 1,
      out: "",
      err: `holdfast: There is no directory ${nowhere}: make it first, or name another file.\n`,
    });
    for (const [args, code, problem] of ways) {
      const plain = await holdfast(env, args);
      expect([args, plain.code, plain.out]).toEqual([args, code, ""]);
      expect(plain.err).toMatch(/^holdfast: .+\n$/);
      const json = await holdfast(env, [...args, "--json"]);
      const document = JSON.parse(json.err) as { code: string; status: number };
      expect([args, json.code, document.code]).toEqual([args, code, problem]);
      expect(document.status).toBeGreaterThanOrEqual(400);
    }
  });
});

function attach(env: Env, ...args: string[]): Running {
  const running = startHoldfast(env, ["attach", ...args]);
  cleanups.push(async () => {
    running.signal("SIGKILL");
    await running.ended;
  });
  return running;
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
