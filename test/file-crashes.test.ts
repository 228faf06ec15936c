// What `kill -9` in the middle of changing files leaves: each change made once, and nothing in the workspace but files that
// someone asked for. Invariant 5.
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Failpoint } from "../src/failpoint.ts";
import { startAgentServer, type AgentServer, type Conversation } from "./agent-server.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Each holds what it replaces, and so would be made twice by whoever made it again. */
const changes: Conversation = ({ prompts, results }) => {
  const path = `${prompts.length}.txt`;
  const edit = (old: string, text: string) => ({ name: "edit", args: { path, old, new: text } });
  return results.length === 0
    ? {
        reply: "message",
        text: "All at once.",
        calls: [
          { name: "write", args: { path, text: "a b c" } },
          edit("a", "aa"),
          edit("b", "bb"),
          edit("c", "cc"),
        ],
      }
    : { reply: "message", text: results.join(" ") };
};

const FAILPOINTS: [Failpoint, number][] = [
  ["mid-write", 1],
  ["mid-write", 3],
  ["after-effect", 3],
  ["between-tools", 2],
];

it("changes of one file are made once each and in their order, from whatever line their server died at", async () => {
  const server = await serve();
  let session: string | undefined;
  for (const [n, [name, nth]] of FAILPOINTS.entries()) {
    await server.kill();
    await server.start({ HOLDFAST_FAILPOINT: `${name}:${nth}` });
    session = await server.send("go", session);
    expect([name, nth, (await server.ended()).signal]).toEqual([name, nth, "SIGKILL"]);
    await server.start();
    const log = await server.untilFact(session, "turn_ended", n + 1);
    const told = log.filter(({ type }) => type === "tool_finished").slice(-4);
    expect([name, nth, told.map(({ data }) => (data as { status: string }).status)]).toEqual([
      name,
      nth,
      ["ok", "ok", "ok", "ok"],
    ]);
    expect([name, nth, await server.file(`${n + 1}.txt`)]).toEqual([name, nth, "aa bb cc"]);
    expect((await readdir(server.workspace)).length).toBe(n + 1);
  }
}, 120_000);

it("a change that kills its server each time is given up, and what it left beside the file is gone", async () => {
  const server = await serve();
  await writeFile(join(server.workspace, "1.txt"), "as it was");
  await server.kill();
  let session: string | undefined;
  for (let deaths = 0; deaths < 4; deaths++) {
    await server.start({ HOLDFAST_FAILPOINT: "mid-write" });
    session ??= await server.send("go");
    expect((await server.ended()).signal).toBe("SIGKILL");
    expect((await readdir(server.workspace)).length).toBe(2);
  }
  await server.start();
  const log = await server.untilFact(session ?? "", "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "failed", error: { code: "crash_loop" } });
  expect(await readdir(server.workspace)).toEqual(["1.txt"]);
  expect(await server.file("1.txt")).toBe("as it was");
}, 120_000);

function serve(): Promise<AgentServer> {
  return startAgentServer({ dialect: "sqlite", says: changes }, (cleanup) => void cleanups.push(cleanup));
}
