// A sandboxed command through everything: server, executor, shell tool, shim. Skipped where bubblewrap is not installed or does
// not work, as in many containers; there the container is the wall.
import { spawnSync } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startAgentServer, type Conversation } from "./agent-server.ts";
import { until } from "./open-server.ts";

const works = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const COMMAND = [
  "echo began >> marker",
  'ls -A "$HOLDFAST_TEST_HOME" 2>/dev/null | grep -q config.toml && echo SAW the home',
  "touch /etc/of-the-sandbox 2>/dev/null && echo WROTE outside",
  "echo $$ >> pids",
  "until [ -e go ]; do sleep 0.05; done",
  "echo went; exit 5",
].join("; ");

const says: Conversation = ({ results }) =>
  results.length === 0
    ? { reply: "message", calls: [{ name: "shell", args: { command: COMMAND } }] }
    : { reply: "message", text: `It said ${results[0]}` };

describe.skipIf(!works)("a sandboxed command", () => {
  it("runs without asking, sees and touches nothing outside, and outlives its server", async () => {
    const server = await startAgentServer(
      {
        dialect: "sqlite",
        says,
        profile: 'approvals = "ask"\nsandbox = "bubblewrap"\npassEnv = ["HOLDFAST_TEST_HOME"]',
        env: { HOLDFAST_TEST_HOME: "/nowhere" },
      },
      (cleanup) => cleanups.push(cleanup),
    );
    await server.kill();
    await server.start({ HOLDFAST_TEST_HOME: server.home });
    const session = await server.send("go");
    await until(async () => (await server.file("pids")) !== "");
    await server.kill("SIGKILL");
    await server.touch("go");
    await server.start();
    const log = await server.untilFact(session, "turn_ended");
    const types = log.map(({ type }) => type);
    expect(types).toContain("executor_recovered");
    expect(types).not.toContain("ask_opened");
    expect(log.find(({ type }) => type === "tool_finished")?.data).toMatchObject({
      status: "error",
      exit: 5,
      result: expect.stringMatching(/^went\n\n?\[exit 5: exit\]$/), // and neither SAW nor WROTE
    });
    expect(await server.file("marker")).toBe("began\n");
    expect(Number(await server.file("pids"))).toBeLessThan(10); // in a process table of its own
    await expect(access("/etc/of-the-sandbox")).rejects.toThrow("ENOENT");
    const listed = (await (await server.fetch("/api/profiles")).json()) as {
      items: { sandboxed: boolean }[];
    };
    expect(listed.items[0]).toMatchObject({ sandboxed: true });
    await access(join(server.home, "config.toml")); // what the command could not see is there
  });
});
