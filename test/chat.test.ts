// `holdfast chat` against the real thing: server, executor and demo model in a process of their own.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Reply } from "../src/cli/chat/piped.ts";
import type { Ask, ProfileInfo, RuleInfo, SessionRow, ShownSession } from "../src/client/commands.ts";
import { envOf, holdfast, holdfastJson, startHoldfast, type Env, type Running } from "./holdfast.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

let server: ServerProcess;
let env: Env;
const started: Running[] = [];

beforeAll(async () => {
  server = await startServer();
  env = envOf(server);
});
afterEach(async () => {
  for (const running of started.splice(0)) {
    running.signal("SIGKILL");
    await running.ended;
  }
});
afterAll(() => server.remove());

it("in a pipe answers once: the answer on stdout, nothing else, and the outcome as exit code", async () => {
  const { code, out, err } = await holdfast(env, ["chat"], "hello there");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("Demo");
  expect(out).not.toMatch(/owner|── completed|❯/);
  expect(out).not.toContain("\x1b");

  const answered = await holdfast(env, ["chat", "--continue", "--json"], "write a note");
  const { session, outcome, text } = JSON.parse(answered.out) as Reply;
  expect(outcome).toBe("completed");
  expect(text).not.toBe("");
  const shown = await holdfastJson<ShownSession>(env, ["sessions", "show", session]);
  expect(shown.view.counts.tools).toBeGreaterThan(0);
  expect((await holdfast(env, ["chat"], "  \n")).code).toBe(2);
});

it("ends with 1 and the reason when the turn fails, and with 2 when there is no such agent", async () => {
  const home = await mkdtemp(join(tmpdir(), "holdfast-home-"));
  await writeFile(join(home, "config.toml"), '[profiles.keyless]\nmodel = "openai/gpt-5"\n');
  const keyless = await startServer({ home });
  try {
    const failed = await holdfast(envOf(keyless), ["chat", "--profile", "keyless"], "hi");
    expect(failed).toMatchObject({ code: 1, out: "", err: expect.stringContaining("OPENAI_API_KEY") });
    const nobody = await holdfast(envOf(keyless), ["chat", "--profile", "nobody"], "hi");
    expect(nobody).toMatchObject({ code: 2, err: expect.stringContaining("names no profile") });
  } finally {
    await keyless.remove();
  }
});

it("says on stderr what waits for an answer, and goes on when it is answered from elsewhere", async () => {
  const chat = start(["chat"], "show me an approval");
  await vi.waitFor(() => expect(chat.err).toContain("approval needed"), WAIT);
  const [, ask] = /holdfast asks answer (ask_\w+)/.exec(chat.err) ?? [];
  const { items } = await holdfastJson<{ items: Ask[] }>(env, ["asks", "list"]);
  expect(items.map(({ id }) => id)).toContain(ask);
  expect((await holdfast(env, ["asks", "answer", ask ?? "", "always"])).code).toBe(0);
  expect(await chat.ended).toMatchObject({ code: 0, out: expect.stringContaining("It ran") });

  const { items: rules } = await holdfastJson<{ items: RuleInfo[] }>(env, ["rules", "list"]);
  expect(rules).toMatchObject([{ profile: "default", tool: "shell", decision: "allow" }]);
  expect((await holdfast(env, ["rules", "rm", rules[0]?.id ?? ""])).code).toBe(0);
  expect((await holdfast(env, ["rules", "list"])).out).toBe("Nothing was allowed for good.\n");
});

it("sits out a kill of the server in the middle of a turn, and still brings the answer", async () => {
  const chat = start(["chat"], "tell me a story");
  let session = "";
  await vi.waitFor(async () => {
    const { items } = await holdfastJson<{ items: SessionRow[] }>(env, [
      "sessions",
      "list",
      "--status",
      "running",
    ]);
    session = items[0]?.id ?? "";
    expect(session).not.toBe("");
  }, WAIT);
  await server.kill();
  await server.start();
  const { code, out } = await chat.ended;
  expect([code, out.length > 200]).toEqual([0, true]);
  const { view } = await holdfastJson<ShownSession>(env, ["sessions", "show", session]);
  expect(view.messages.at(-1)).toMatchObject({ kind: "turn_end", outcome: "completed" });
});

it("stops the turn on Ctrl-C and ends with what became of it", async () => {
  const chat = start(["chat"], "tell me a story");
  await vi.waitFor(async () => {
    const { items } = await holdfastJson<{ items: SessionRow[] }>(env, [
      "sessions",
      "list",
      "--status",
      "running",
    ]);
    expect(items).not.toEqual([]);
  }, WAIT);
  chat.signal("SIGINT");
  expect(await chat.ended).toMatchObject({ code: 1, err: expect.stringContaining("the turn stopped") });
});

it("lists the demo among the profiles, as such", async () => {
  const { items } = await holdfastJson<{ items: ProfileInfo[] }>(env, ["profiles"]);
  expect(items).toMatchObject([{ name: "default", demo: true, unusable: null }, { name: "demo" }]);
  expect((await holdfast(env, ["profiles"])).out).toContain("demo/script (demo)");
});

const WAIT = { timeout: 20_000, interval: 100 };

function start(args: string[], stdin: string): Running {
  const running = startHoldfast(env, args, stdin);
  started.push(running);
  return running;
}
