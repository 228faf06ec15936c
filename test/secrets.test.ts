// Security 11 through everything: what Holdfast knows and others may not is looked for in all that it keeps and says.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AnyEvent, FactData } from "../src/session/event.ts";
import { callApi } from "./call-api.ts";
import { until } from "./open-server.ts";
import { readLog } from "./seen-facts.ts";
import { startServer, type ServerProcess } from "./server-process.ts";
import { startStubModel, type Script } from "./stub-model.ts";

const KEY = "sk-of-the-provider-1-that-nobody-may-see";

test("no key, token or login is in an event, a log, a command's output or a backup", async () => {
  const { server, asked } = await serve();
  const { id } = await callApi<{ id: string }>(server, "POST", "/api/sessions", {
    input: { kind: "prompt", text: "look around" },
  });
  const secrets = {
    key: KEY,
    token: server.token,
    cli: (await readFile(join(server.home, "cli-token"), "utf8")).trim(),
    ...(await letIn(server)),
  };
  let log: AnyEvent[] = [];
  await until(async () => {
    log = await readLog(server, id);
    return log.some(({ type }) => type === "turn_ended");
  });
  const results = log
    .filter(({ type }) => type === "tool_finished")
    .map(({ data }) => data as FactData<"tool_finished">); // as its type says
  expect(asked()).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  expect(results.find(({ status }) => status === "ok")?.result).toContain(`HOLDFAST_SESSION=${id}`);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["error", "ok"]);
  expect(JSON.stringify(log.at(-1)?.data)).toContain("You sent Bearer ***");

  const backup = await server.fetch("/api/backup");
  expect(backup.status).toBe(200);
  const copy = Buffer.from(await backup.arrayBuffer());
  await until(async () => (await readdir(join(server.home, "backup"))).length === 0); // what it was sent from is gone
  const kept = new Map([
    ["the events", Buffer.from(JSON.stringify(log))],
    ["what it printed", Buffer.from(server.output)],
    ["a backup", copy],
    ...(await filesOf(server.home)),
  ]);
  expect([...kept.keys()]).toEqual(expect.arrayContaining(["holdfast.db", "a backup"]));
  expect(kept.get("a backup")!.includes(id)).toBe(true);
  const found = Object.entries(secrets).flatMap(([secret, text]) =>
    [...kept].filter(([, bytes]) => bytes.includes(text)).map(([where]) => `${secret} in ${where}`),
  );
  expect(found).toEqual(["cli in cli-token"]); // which is there for it, for its owner alone
});

test("what an agent finds of a key, and what it says of it, is hidden wherever it can be read", async () => {
  const { server } = await serve({
    command: "cat .env",
    file: ".env",
    answer: "a-token-for-tests-that-is-long-enough is wrong",
  });
  const { id } = await callApi<{ id: string }>(server, "POST", "/api/sessions", {
    input: { kind: "prompt", text: "look around" },
  });
  let log: AnyEvent[] = [];
  await until(async () => {
    log = await readLog(server, id);
    return log.some(({ type }) => type === "turn_ended");
  });
  const started = log.find(({ type }) => type === "process_started")?.data as FactData<"process_started">; // as its type says
  const output = await callApi<{ text: string; bytes: number }>(
    server,
    "GET",
    `/api/processes/${started.process}/output`,
  );
  const onDisk = await readFile(join(server.home, "processes", started.process, "output"));
  const shown = `LOCKED_KEY=[secret: LOCKED_KEY]${"*".repeat(KEY.length - "[secret: LOCKED_KEY]".length)}\n`;
  expect(output.text.startsWith(shown)).toBe(true);
  expect(output.bytes).toBe(onDisk.length);
  expect(onDisk.includes(KEY)).toBe(true); // as the command wrote it
  expect(JSON.stringify(log)).toContain(JSON.stringify(shown).slice(1, -1));
  expect(JSON.stringify(log)).toContain("LOCKED_KEY=[secret: LOCKED_KEY]\\n"); // as the read tool gives it
  expect(JSON.stringify(log.at(-1)?.data)).toContain("[secret: HOLDFAST_TOKEN] is wrong");
  const places = [...(await filesOf(server.home)), ["what it printed", Buffer.from(server.output)] as const];
  const isIn = (bytes: Buffer) => bytes.includes(KEY) || bytes.includes(server.token);
  const found = places.filter(([, bytes]) => isIn(bytes)).map(([where]) => where);
  expect(found).toEqual([`processes/${started.process}/output`]);
});

/** A model that has its agent look for secrets, and then repeats the key that it was sent. */
async function serve({ command = "env", file = "", answer = "" } = {}): Promise<{
  server: ServerProcess;
  asked: () => (string | undefined)[];
}> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-home-"));
  const workspace = await mkdtemp(join(tmpdir(), "holdfast-work-"));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  await writeFile(join(workspace, ".env"), `LOCKED_KEY=${KEY}\n`);
  const script: Script = ({ headers }, nth) =>
    nth === 1
      ? {
          reply: "message",
          calls: [
            { name: "shell", args: { command } },
            { name: "read", args: { path: file || join(home, "cli-token") } },
          ],
        }
      : {
          reply: "status",
          status: 401,
          body: { error: { message: answer || `You sent ${headers.authorization}` } },
        };
  const model = await startStubModel(script);
  onTestFinished(() => model.close());
  const config = `
[providers.locked]
kind = "openai-compatible"
baseUrl = "${model.baseUrls["openai-compatible"]}"
apiKeyEnv = "LOCKED_KEY"
[profiles.default]
model = "locked/one"
workspace = "${workspace}"
approvals = "auto"
`;
  const server = await startServer({ home, config, env: { LOCKED_KEY: KEY } });
  onTestFinished(() => server.remove());
  return { server, asked: () => model.requests.map(({ headers }) => headers.authorization) };
}

/** A program and a browser, each with a secret of its own. */
async function letIn(server: ServerProcess): Promise<{ program: string; link: string; cookie: string }> {
  const { token: program } = await callApi<{ token: string }>(server, "POST", "/api/tokens", { name: "ci" });
  const { url } = await callApi<{ url: string }>(server, "POST", "/api/login-links");
  const link = url.split("#")[1]!;
  const answer = await fetch(`${server.url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret: link }),
  });
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!.split("=")[1]!;
  return { program, link, cookie };
}

async function filesOf(folder: string): Promise<[name: string, bytes: Buffer][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    files.map(async (file): Promise<[string, Buffer]> => [
      file.slice(folder.length + 1),
      await readFile(file),
    ]),
  );
}
