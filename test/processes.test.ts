// Processes that outlive their turn and their server: listed, read, written to, stopped, and their end told once.
import { afterEach, describe, expect, it } from "vitest";
import { isRunning } from "../src/process/scene.ts";
import type { AnyEvent } from "../src/session/event.ts";
import type { Process, ProcessOutput } from "../src/protocol/http.ts";
import { startAgentServer, type AgentServer, type Conversation, type Dialect } from "./agent-server.ts";
import { until } from "./open-server.ts";
import type { Answer } from "./stub-model.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const serve = (dialect: Dialect, says: Conversation, profile = ""): Promise<AgentServer> =>
  startAgentServer({ dialect, says, profile }, (cleanup) => {
    cleanups.push(cleanup);
  });

/** Starts this in the background, and is done. */
const starting =
  (command: string, more: object = {}): Conversation =>
  ({ results }) =>
    results.length === 0
      ? { reply: "message", calls: [{ name: "shell", args: { command, background: true, ...more } }] }
      : { reply: "message", text: "It runs." };

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  it("a process in the background outlives its turn and a kill of its server, and is stopped from outside", async () => {
    const server = await serve(
      dialect,
      starting("echo up; trap 'echo bye; exit 3' TERM; while :; do sleep 0.1; done"),
    );
    const session = await server.send("start it");
    await server.untilFact(session, "turn_ended");
    const [process] = await list(server, `?session=${session}`);
    expect(process).toMatchObject({ session, background: true, status: "running", exit: null });
    expect(await rowOf(server, session)).toMatchObject({ status: "idle", processes: 1 });
    await until(async () => (await output(server, process!.id)).text === "up\n");

    await server.kill("SIGKILL");
    await server.start();
    expect(await list(server)).toMatchObject([{ id: process!.id, status: "running" }]);
    const stopped = await post(server, `/api/processes/${process!.id}/stop`, {});
    expect(stopped).toMatchObject({ outcome: "stopped" });
    const log = await server.untilFact(session, "process_exited");
    expect(log.filter(({ type }) => type === "process_exited")).toMatchObject([
      { by: { keeper: "processes" }, data: { process: process!.id, exit: 3, cause: "stopped" } },
    ]);
    expect(await list(server)).toEqual([]);
    expect(await list(server, "?all=true")).toMatchObject([{ status: "stopped", exit: 3 }]);
    expect((await output(server, process!.id)).over).toBe(true);
    expect((await output(server, process!.id)).text).toMatch(/^up\n.*bye\n$/s);
    await expect(post(server, `/api/processes/${process!.id}/stop`, {})).rejects.toThrow("409");
  });

  it("what a command that was waited for leaves running is listed, survives the server, and is stopped as any other", async () => {
    const server = await serve(
      dialect,
      ({ prompts, results }) => (prompts.at(-1) === "look" ? listing(results) : leaving(results)),
      OPEN,
    );
    const session = await server.send("start it");
    const log = await server.untilFact(session, "turn_ended");
    expect(resultsIn(log)).toMatchObject([
      { status: "ok", exit: 0, result: expect.stringContaining("it left running: sleep 313 (pid ") },
    ]);
    const pid = Number(/\(pid (\d+)\)/.exec(resultsIn(log)[0]!.result)![1]);
    const [left] = await list(server, `?session=${session}`);
    expect(left).toMatchObject({ session, background: true, status: "running", exit: null });
    expect(await rowOf(server, session)).toMatchObject({ status: "idle", processes: 1 });
    await until(async () => (await list(server))[0]?.pid === pid);

    await server.kill("SIGKILL");
    await server.start();
    await server.send("look", session);
    expect(resultsIn(await server.untilFact(session, "turn_ended", 2)).at(-1)?.result).toContain(left!.id);
    expect(await post(server, `/api/processes/${left!.id}/stop`, {})).toMatchObject({ outcome: "stopped" });
    expect(await isRunning(pid)).toBe(false);
    const after = await server.untilFact(session, "process_exited");
    expect(after.filter(({ type }) => type === "process_exited")).toMatchObject([
      { by: { keeper: "processes" }, data: { process: left!.id, exit: 0, cause: "stopped" } },
    ]);
    expect(await list(server)).toEqual([]);
  });

  it("what a command leaves running holds the deletion of its session, and ends with it by force", async () => {
    const server = await serve(dialect, ({ results }) => leaving(results), OPEN);
    const session = await server.send("start it");
    const log = await server.untilFact(session, "turn_ended");
    const pid = Number(/\(pid (\d+)\)/.exec(resultsIn(log)[0]!.result)![1]);
    const remove = (query: string) => server.fetch(`/api/sessions/${session}${query}`, { method: "DELETE" });
    expect((await remove("")).status).toBe(409);
    expect(await isRunning(pid)).toBe(true);
    expect((await remove("?force=true")).ok).toBe(true);
    await until(async () => !(await isRunning(pid)));
    await until(async () => (await list(server)).length === 0);
  });

  it("a command in the background runs as long as what it has started, and has its own exit code then", async () => {
    const server = await serve(
      dialect,
      starting("(until [ -e go ]; do sleep 0.05; done) >/dev/null 2>&1 & exit 4"),
      OPEN,
    );
    const session = await server.send("start it");
    await server.untilFact(session, "turn_ended");
    await until(async () => (await list(server))[0]?.class != null); // it was measured since
    expect(await list(server)).toMatchObject([{ status: "running" }]);
    await server.touch("go");
    const log = await server.untilFact(session, "process_exited");
    expect(log.at(-1)?.data).toMatchObject({ exit: 4, cause: "exit" });
  });

  it("the end of one that ended while no server was there is told once, with its real exit code", async () => {
    const server = await serve(
      dialect,
      starting("until [ -e go ]; do sleep 0.05; done; echo done > said; exit 4"),
    );
    const session = await server.send("start it");
    await server.untilFact(session, "turn_ended");
    await server.kill("SIGKILL");
    await server.touch("go");
    await until(async () => (await server.file("said")) === "done\n");
    await server.start();
    const log = await server.untilFact(session, "process_exited");
    expect(log.at(-1)?.data).toMatchObject({ exit: 4, cause: "exit" });
    await server.kill("SIGTERM");
    await server.start();
    expect((await server.log(session)).filter(({ type }) => type === "process_exited")).toHaveLength(1);
  });

  it("what is written to one arrives once, under one key", async () => {
    const server = await serve(
      dialect,
      starting("while read line; do echo got $line; done", { stdin: true }),
    );
    const session = await server.send("start it");
    await server.untilFact(session, "turn_ended");
    const [process] = await list(server);
    const path = `/api/processes/${process!.id}/input`;
    for (let n = 0; n < 3; n++)
      expect(await post(server, path, { text: "one\n" }, "key-1")).toMatchObject({ outcome: "written" });
    await expect(post(server, path, { text: "two\n" }, "key-1")).rejects.toThrow("422");
    await post(server, path, { text: "two\n" }, "key-2");
    await until(async () => (await output(server, process!.id)).text === "got one\ngot two\n");
    await post(server, `/api/processes/${process!.id}/stop`, { signal: "SIGINT" });
    await server.untilFact(session, "process_exited");
  });

  it("an agent lists its processes, reads them, waits for them and stops them by its own tool", async () => {
    const tool = (args: Record<string, unknown>): Answer => ({
      reply: "message",
      calls: [{ name: "process", args }],
    });
    const id = (results: readonly string[]) => /prc_\S+(?=:)/.exec(results[0] ?? "")?.[0];
    const server = await serve(dialect, ({ results }) => {
      const process = id(results);
      // Its first word may take a moment: until then the output is asked for again.
      switch (results.filter((result) => result !== SILENT).length) {
        case 0:
          return starting("echo begun; until [ -e go ]; do sleep 0.05; done; echo through; sleep 1000")({
            prompts: [],
            results,
          });
        case 1:
          return tool({ action: "list" });
        case 2:
          return tool({ action: "output", process });
        case 3:
          return tool({ action: "stop", process });
        case 4:
          return tool({ action: "wait", process });
        default:
          return tool({ action: "output", process: "prc_of_another" });
        case 6:
          return { reply: "message", text: "Seen." };
      }
    });
    const session = await server.send("see to it");
    const log = await server.untilFact(session, "turn_ended");
    const results = log.flatMap(({ type, data }) =>
      type === "tool_finished" ? [data as { status: string; result: string }] : [],
    );
    expect(results.filter(({ result }) => result !== SILENT)).toMatchObject([
      { status: "ok", result: expect.stringContaining("Started in the background") },
      { status: "ok", result: expect.stringMatching(/^prc_\S+ {2}running since .* until \[ -e go \]/) },
      { status: "ok", result: expect.stringContaining("begun") },
      { status: "ok", result: "stopped" },
      { status: "ok", result: expect.stringMatching(/ stopped with \d+ .*\n.*begun/s) },
      { status: "error", result: expect.stringContaining("no process prc_of_another") },
    ]);
    expect(await list(server)).toEqual([]);
  });
});

const SILENT = "[it has said nothing yet]";
/** A sandbox would take all down that its command leaves. */
const OPEN = 'sandbox = "none"';
const LEAVES = "sleep 313 >/dev/null 2>&1 & echo started";

function leaving(results: readonly string[]): Answer {
  return results.length === 0
    ? { reply: "message", calls: [{ name: "shell", args: { command: LEAVES } }] }
    : { reply: "message", text: "It runs." };
}

function listing(results: readonly string[]): Answer {
  return results.length === 0
    ? { reply: "message", calls: [{ name: "process", args: { action: "list" } }] }
    : { reply: "message", text: "Seen." };
}

type Result = { status: string; result: string; exit?: number };

function resultsIn(log: readonly AnyEvent[]): Result[] {
  return log.flatMap(({ type, data }) => (type === "tool_finished" ? [data as Result] : []));
}

async function list(server: AgentServer, query = ""): Promise<Process[]> {
  const answer = await server.fetch(`/api/processes${query}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { items: Process[] }).items;
}

async function rowOf(server: AgentServer, session: string): Promise<unknown> {
  return (await server.fetch(`/api/sessions/${session}`)).json();
}

async function output(server: AgentServer, process: string): Promise<ProcessOutput> {
  const answer = await server.fetch(`/api/processes/${process}/output`);
  if (answer.status === 503) return { process, from: 0, next: 0, bytes: 0, text: "", over: false }; // starting
  expect(answer.status).toBe(200);
  return (await answer.json()) as ProcessOutput;
}

async function post(server: AgentServer, path: string, body: unknown, key?: string): Promise<unknown> {
  const answer = await server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}
