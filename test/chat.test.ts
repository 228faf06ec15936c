// `holdfast chat` and the commands beside it against the real thing: server and executor in a process of their own, real
// commands, and a model that says what it is told.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Reply } from "../src/cli/chat/piped.ts";
import type { Ask, ProfileInfo, RuleInfo, SessionRow, ShownSession } from "../src/client/commands.ts";
import { callApi } from "./call-api.ts";
import { envOf, holdfast, holdfastJson, startHoldfast, type Env, type Running } from "./holdfast.ts";
import { startServer, type ServerProcess } from "./server-process.ts";
import { startStubModel, type Answer, type StubModel, type StubRequest } from "./stub-model.ts";

const WAIT = { timeout: 20_000, interval: 50 };
/** Said in a few seconds; or for longer than any test waits. */
const LONG = wordsUpTo(80);
const ENDLESS = wordsUpTo(5_000);

let model: StubModel;
let server: ServerProcess;
let env: Env;
const started: Running[] = [];

beforeAll(async () => {
  model = await startStubModel(answerTo);
  const config = `
[providers.stub]
kind = "openai-compatible"
baseUrl = "${model.baseUrls["openai-compatible"]}"
[profiles.default]
model = "stub/one"
sandbox = "none"
[profiles.careful]
model = "stub/one"
sandbox = "none"
[[profiles.careful.rules]]
tool = "shell"
match = "echo *"
decision = "ask"
[profiles.keyless]
model = "openai/gpt-5"
`;
  const home = await mkdtemp(join(tmpdir(), "holdfast-home-"));
  await writeFile(join(home, "config.toml"), config);
  server = await startServer({ home });
  env = envOf(server);
});
afterEach(async () => {
  for (const running of started.splice(0)) {
    running.signal("SIGKILL");
    await running.ended;
  }
});
afterAll(async () => {
  await server.remove();
  await model.close();
});

function wordsUpTo(count: number): string {
  return Array.from({ length: count }, (_, n) => `word${n}`).join(" ");
}

/** Says a long text slowly, runs as many commands as it is told, or says yes. */
function answerTo({ body }: StubRequest): Answer {
  const { messages } = body as { messages: { role: string; content: unknown }[] };
  const last = messages.at(-1);
  if (last?.role === "tool") return { reply: "message", text: "It ran." };
  // What was not answered stands in front of it.
  const said = String(last?.content).split("\n").at(-1) ?? "";
  if (said.includes("slowly")) return { reply: "message", text: LONG, tokensPerSecond: 30 };
  if (said.includes("endlessly")) return { reply: "message", text: ENDLESS, tokensPerSecond: 30 };
  const [, count] = /run (\d)/.exec(said) ?? [];
  if (count === undefined) return { reply: "message", text: "Yes." };
  const calls = Array.from({ length: Number(count) }, (_, n) => ({
    name: "shell",
    args: { command: `echo ${n}` },
  }));
  return { reply: "message", text: "Let me.", calls };
}

it("in a pipe answers once: the answer on stdout, nothing else, and the outcome as exit code", async () => {
  expect(await holdfast(env, ["chat"], "hello there")).toEqual({ code: 0, out: "Yes.\n", err: "" });
  const { out } = await holdfast(env, ["chat", "--continue", "--json"], "and again");
  const { session, outcome, text } = JSON.parse(out) as Reply;
  expect([outcome, text]).toEqual(["completed", "Yes."]);
  expect((await show(session)).view.messages.filter(({ kind }) => kind === "input")).toHaveLength(2);
  expect((await holdfast(env, ["chat"], "  \n")).code).toBe(2);
});

it("ends with 1 and the reason when the turn fails, and with 2 when there is no such agent", async () => {
  const failed = await holdfast(env, ["chat", "--profile", "keyless"], "hi");
  expect(failed).toMatchObject({ code: 1, out: "", err: expect.stringContaining("OPENAI_API_KEY") });
  const nobody = await holdfast(env, ["chat", "--profile", "nobody"], "hi");
  expect(nobody).toMatchObject({ code: 2, err: expect.stringContaining("names no profile") });
});

it("says on stderr what waits for an answer, and goes on when it is answered from elsewhere", async () => {
  const chat = start(["chat"], "run 1");
  await vi.waitFor(() => expect(chat.err).toContain("approval needed: shell: echo 0"), WAIT);
  const [, ask = ""] = /holdfast asks answer (ask_\w+)/.exec(chat.err) ?? [];
  const { items } = await holdfastJson<{ items: Ask[] }>(env, ["asks", "list"]);
  expect(items).toMatchObject([{ id: ask, kind: "approval", command: "echo 0", state: "open" }]);
  expect((await holdfast(env, ["asks", "answer", ask, "always"])).code).toBe(0);
  expect(await chat.ended).toMatchObject({ code: 0, out: "It ran.\n" });

  const { items: rules } = await holdfastJson<{ items: RuleInfo[] }>(env, ["rules", "list"]);
  expect(rules).toMatchObject([{ profile: "default", tool: "shell", decision: "allow", shown: "echo 0" }]);
  expect((await holdfast(env, ["rules", "rm", rules[0]?.id ?? ""])).code).toBe(0);
  expect((await holdfast(env, ["rules", "list"])).out).toBe("Nothing was allowed for good.\n");
});

it("what a rule wants asked each time can be allowed once or denied, and nobody can allow it for good", async () => {
  const chat = start(["chat", "--profile", "careful"], "run 1");
  await vi.waitFor(() => expect(chat.err).toContain("approval needed: shell: echo 0"), WAIT);
  const [, ask = ""] = /holdfast asks answer (ask_\w+)/.exec(chat.err) ?? [];
  expect((await holdfast(env, ["asks", "list"])).out).toContain("  1 Once   2 Deny\n");
  for (const choice of ["session", "always"])
    await expect(callApi(server, "POST", `/api/asks/${ask}/answer`, { choice })).rejects.toThrow(
      /422 .*must be one of once, deny/,
    );
  expect((await holdfast(env, ["asks", "answer", ask, "once"])).code).toBe(0);
  expect(await chat.ended).toMatchObject({ code: 0, out: "It ran.\n" });
});

it("sits out a kill of the server in the middle of a turn, and still brings the whole answer", async () => {
  const chat = start(["chat", "--json"], "slowly");
  await running();
  await server.kill();
  await server.start();
  const { code, out } = await chat.ended;
  const { session, text } = JSON.parse(out) as Reply;
  expect([code, text]).toEqual([0, LONG]);
  expect((await show(session)).view.messages.at(-1)).toMatchObject({
    kind: "turn_end",
    outcome: "completed",
  });
});

it("stops the turn on Ctrl-C and ends with what became of it", async () => {
  const chat = start(["chat"], "endlessly");
  await running();
  chat.signal("SIGINT");
  expect(await chat.ended).toMatchObject({ code: 1, err: expect.stringContaining("the turn stopped") });
});

it("one of two approvals lets its own command run; a stop then withdraws the other and ends the turn", async () => {
  const { session } = await holdfastJson<{ session: string }>(env, ["send", "new", "run 2"]);
  const view = async () => (await show(session)).view;
  await vi.waitFor(async () => expect((await view()).asks).toHaveLength(2), WAIT);
  const [first, second] = (await view()).asks.map(({ ask }) => ask);
  await holdfast(env, ["asks", "answer", first ?? "", "once"]);
  await vi.waitFor(async () => expect((await view()).counts.tools).toBe(1), WAIT);
  expect((await view()).asks).toMatchObject([{ ask: second }]);

  await holdfast(env, ["send", session, "afterwards"]);
  expect((await holdfast(env, ["stop", session])).out).toBe(`stopping ${session}\n`);
  await vi.waitFor(async () => expect((await view()).turn).toBeNull(), WAIT);
  expect(await view()).toMatchObject({ asks: [], held: true, queue: [{ text: "afterwards" }] });
  const late = await holdfast(env, ["asks", "answer", second ?? "", "once"]);
  expect(late).toMatchObject({ code: 4, err: expect.stringContaining("was withdrawn") });

  await holdfast(env, ["queue", "release", session]);
  await completed(session);
});

it("a turn that is had anew runs in the successor, and an old link leads there", async () => {
  const { out } = await holdfast(env, ["chat", "--json"], "hello");
  const { session } = JSON.parse(out) as Reply;
  const successor = await holdfastJson<SessionRow>(env, ["sessions", "regenerate", session]);
  await completed(successor.id);
  expect((await show(successor.id)).view.messages.map(({ kind }) => kind)).toEqual([
    "input",
    "step",
    "turn_end",
  ]);
  expect(await show(session)).toMatchObject({ status: "ended", head: successor.id });
  const again = JSON.parse((await holdfast(env, ["chat", session, "--json"], "again")).out) as Reply;
  expect(again).toMatchObject({ session: successor.id, outcome: "completed" });
});

it("a prompt that is sent to stop what runs is begun with next", async () => {
  const { session } = await holdfastJson<{ session: string }>(env, ["send", "new", "endlessly"]);
  await running();
  await holdfast(env, ["send", session, "later"]);
  await holdfast(env, ["send", session, "rather this", "--now"]);
  await vi.waitFor(
    async () => expect(await outcomes(session)).toEqual(["stopped", "completed", "completed"]),
    WAIT,
  );
  const said = (await show(session)).view.messages.flatMap((each) =>
    each.kind === "input" ? [each.text] : [],
  );
  expect(said).toEqual(["endlessly", "rather this", "later"]);
});

it("lists the agents with what each lacks", async () => {
  const { items } = await holdfastJson<{ items: ProfileInfo[] }>(env, ["profiles"]);
  expect(items.find(({ name }) => name === "keyless")?.unusable).toContain("OPENAI_API_KEY");
  expect((await holdfast(env, ["profiles"])).out).toMatch(/default +builtin +stub\/one +ready: config\.toml/);
});

function start(args: string[], stdin: string): Running {
  const running = startHoldfast(env, args, stdin);
  started.push(running);
  return running;
}

function show(session: string): Promise<ShownSession> {
  return holdfastJson<ShownSession>(env, ["sessions", "show", session]);
}

/** Until a turn runs and has said something. */
async function running(): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await holdfastJson<{ items: SessionRow[] }>(env, [
      "sessions",
      "list",
      "--status",
      "running",
    ]);
    const { view } = await show(items[0]?.id ?? "ses_none");
    expect(JSON.stringify(view.messages)).toContain("word0");
  }, WAIT);
}

async function outcomes(session: string): Promise<string[]> {
  const { view } = await show(session);
  return view.messages.flatMap((message) => (message.kind === "turn_end" ? [message.outcome] : []));
}

async function completed(session: string): Promise<void> {
  await vi.waitFor(async () => expect((await outcomes(session)).at(-1)).toBe("completed"), WAIT);
}
