// Tools of a real MCP server in the hands of a real Holdfast: what they did was done once, or the model is told that nobody
// knows. Invariants 5 and 6.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { startAgentServer, type AgentServer, type Conversation, type Dialect } from "./agent-server.ts";
import type { FactData } from "../src/session/event.ts";
import { callApi } from "./call-api.ts";

const PROGRAM = fileURLToPath(new URL("../src/tool/mcp/scene-server.ts", import.meta.url));

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function serve(dialect: Dialect, says: Conversation, profile = "", mode = "plain"): Promise<AgentServer> {
  const command = JSON.stringify([process.execPath, PROGRAM, mode]);
  const config = `[mcp.scene]\ncommand = ${command}\npassEnv = ["SCENE_TOKEN"]`;
  return startAgentServer({ dialect, says, profile, config }, (cleanup) => {
    cleanups.push(cleanup);
  });
}

/** One call, whatever it is told to call with, then the result. */
const calls = (name: string, args: (folder: string) => object): Conversation => {
  return ({ prompts, results }) =>
    results.length === 0
      ? { reply: "message", text: "", calls: [{ name, args: { ...args(prompts.at(-1) ?? "") } }] }
      : { reply: "message", text: `It said: ${results.join()}` };
};
const notes = calls("scene__note", (folder) => ({ file: join(folder, "notes"), text: "a note" }));

const finishedIn = (log: readonly { type: string; data: unknown }[]) =>
  log.filter(({ type }) => type === "tool_finished").map(({ data }) => data);

const asksIn = (log: readonly { type: string; data: unknown }[]) =>
  log.flatMap(({ type, data }) => (type === "ask_opened" ? [data as FactData<"ask_opened">] : []));

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  it("a call that its server was killed in is not made again, and told as unknown", async () => {
    const server = await serve(dialect, notes);
    for (const [n, failpoint] of ["after-effect:2", "after-intent:2"].entries()) {
      await server.kill();
      await server.start({ HOLDFAST_FAILPOINT: failpoint });
      const session = await server.send(server.workspace);
      expect((await server.ended()).signal).toBe("SIGKILL");
      await server.start();
      const log = await server.untilFact(session, "turn_ended");
      expect([n, finishedIn(log)]).toMatchObject([
        n,
        [{ status: "unknown", result: expect.stringContaining("not known whether this took effect") }],
      ]);
      expect(await server.file("notes")).toBe("a note\n"); // of the first, and never of the second
    }
  }, 60_000);

  it("a person is asked before it is called, and the answer counts after the server was killed", async () => {
    const server = await serve(dialect, notes, 'approvals = "ask"');
    const session = await server.send(server.workspace);
    const log = await server.untilFact(session, "ask_opened");
    const opened = log.find(({ type }) => type === "ask_opened")?.data ?? {};
    expect(opened).not.toHaveProperty("cwd"); // the server is not in the workspace
    expect(opened).toMatchObject({ title: expect.stringMatching(/^scene__note: note of scene \{/) });
    await server.kill();
    await server.start();
    expect(await server.file("notes")).toBe("");
    const { ask } = opened as { ask: string };
    await callApi(server, "POST", `/api/asks/${ask}/answer`, { choice: "once" });
    const all = await server.untilFact(session, "turn_ended");
    expect(finishedIn(all)).toMatchObject([{ status: "ok", result: "noted" }]);
    expect(await server.file("notes")).toBe("a note\n");
  }, 60_000);

  it("what was always allowed is asked about again once another program has the server's name", async () => {
    const server = await serve(dialect, notes, 'approvals = "ask"');
    const session = await server.send(server.workspace);
    const [first] = asksIn(await server.untilFact(session, "ask_opened"));
    await callApi(server, "POST", `/api/asks/${first?.ask}/answer`, { choice: "always" });
    await server.untilFact(session, "turn_ended");
    const other = await server.send(server.workspace);
    expect(asksIn(await server.untilFact(other, "turn_ended"))).toEqual([]);
    await server.kill();
    const file = join(server.home, "config.toml");
    await writeFile(file, (await readFile(file, "utf8")).replace('"plain"', '"greets"'));
    await server.start();
    const third = await server.send(server.workspace);
    const [again] = asksIn(await server.untilFact(third, "ask_opened"));
    for (const [ask, mode] of [
      [first, "plain"],
      [again, "greets"],
    ] as const)
      expect(ask?.details).toContainEqual({
        name: "MCP server",
        text: `${process.execPath} ${PROGRAM} ${mode}`,
      });
    expect(await server.file("notes")).toBe("a note\na note\n"); // of the first two
  }, 60_000);
});

it("rules speak of a server's tools by pattern, and a profile may go without a server", async () => {
  const rules =
    'approvals = "deny"\nrules = [{ tool = "scene__*", decision = "allow" }]\n[profiles.other]\nmcp = []';
  const server = await serve("sqlite", notes, rules);
  const log = await server.untilFact(await server.send(server.workspace), "turn_ended");
  expect(finishedIn(log)).toMatchObject([{ status: "ok" }]);
  const { items } = await callApi<{ items: { name: string; mcp: string[] }[] }>(
    server,
    "GET",
    "/api/profiles",
  );
  expect(items.map(({ name, mcp }) => [name, mcp])).toEqual(
    expect.arrayContaining([
      ["default", ["scene"]],
      ["other", []],
    ]),
  );
  const { id } = await callApi<{ id: string }>(server, "POST", "/api/sessions", {
    profile: "other",
    input: { kind: "prompt", text: server.workspace },
  });
  expect(finishedIn(await server.untilFact(id, "turn_ended"))).toMatchObject([
    { status: "error", result: expect.stringContaining('There is no tool "scene__note"') },
  ]);
}, 60_000);

it("a turn goes on without a server that does not start, and says so once", async () => {
  const says: Conversation = ({ results }) =>
    results.length === 0
      ? { reply: "message", text: "", calls: [{ name: "shell", args: { command: "echo hello" } }] }
      : { reply: "message", text: "Done." };
  const server = await serve("sqlite", says, "", "dies");
  const session = await server.send("go");
  const log = await server.untilFact(session, "turn_ended");
  expect(log.filter(({ type }) => type === "notice")).toMatchObject([
    { data: { level: "warn", text: expect.stringContaining("it ended with 3: the key is missing") } },
  ]);
  expect(finishedIn(log)).toMatchObject([{ status: "ok" }]);
  await server.send("again", session);
  const both = await server.untilFact(session, "turn_ended", 2);
  expect(both.filter(({ type }) => type === "notice")).toHaveLength(2);
}, 60_000);

it("what was begun with a tool that is gone after the restart is unknown, not undone", async () => {
  const server = await serve("sqlite", notes);
  await server.kill();
  await server.start({ HOLDFAST_FAILPOINT: "after-effect:2" });
  const session = await server.send(server.workspace);
  await server.ended();
  const file = join(server.home, "config.toml");
  await writeFile(file, (await readFile(file, "utf8")).replace('"plain"', '"dies"'));
  await server.start();
  expect(finishedIn(await server.untilFact(session, "turn_ended"))).toMatchObject([
    {
      status: "unknown",
      result: expect.stringMatching(/no tool "scene__note".*key is missing.*not known whether/s),
    },
  ]);
  expect(await server.file("notes")).toBe("a note\n");
}, 60_000);
