import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Config } from "../../config/schema.ts";
import { isAlive, bootId } from "../../process/identity.ts";
import { readStat } from "../../process/proc-stat.ts";
import { mcpServersOf } from "../../profile/mcp-servers.ts";
import { toolbox, type Toolbox } from "../toolbox.ts";
import type { Outcome, Tool } from "../tool.ts";
import type { McpServer } from "./server.ts";
import { toolName } from "./tool.ts";

const PROGRAM = fileURLToPath(new URL("./scene-server.ts", import.meta.url));
const ODD_PROGRAM = fileURLToPath(new URL("./scene-odd-server.ts", import.meta.url));
const open: McpServer[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-mcp-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  await rm(folder, { recursive: true });
});

const forever = new AbortController().signal;

function serverOf(mode: string, differs: object = {}): McpServer {
  const { mcp } = Config.parse({
    mcp: { scene: { command: [process.execPath, PROGRAM, mode], ...differs } },
  });
  const env = { ...process.env, SCENE_TOKEN: "s3cret", OTHER: "not for it" };
  const server = mcpServersOf({ mcp }, env, { info: () => {}, warn: () => {} }).get("scene");
  if (!server) throw new Error("it is configured");
  open.push(server);
  return server;
}

async function boxOf(mode = "plain", differs: object = {}): Promise<Toolbox> {
  const box = toolbox(new Map(), [serverOf(mode, differs)]);
  await box.settle(forever);
  return box;
}

async function run(box: Toolbox, name: string, args: object = {}): Promise<Outcome> {
  const tool = box.tools().get(`scene__${name}`);
  if (tool?.kind !== "plain") throw new Error(`there is no ${name}`);
  const place = { session: "ses_1", workspace: folder, hidden: "/nowhere" };
  return tool.run(args, { ...place, call: "c1", trace: undefined, signal: forever });
}

const notes = async () => readFile(join(folder, "notes"), "utf8");

it("an agent has a server's tools, all pages of them, under the server's name", async () => {
  const box = await boxOf();
  expect([...box.tools().keys()].slice(0, 3)).toEqual(["scene__add", "scene__note", "scene__note_then_die"]);
  expect(box.tools().size).toBe(10);
  expect(box.tools().get("scene__add")).toMatchObject({
    description: "What add does.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    effect: "unsafe",
  });
  expect(box.notes()).toEqual(["Of the tools scene__…: Notes are for ever."]);
  expect(box.missing()).toEqual([]);
  expect(box.tools()).toBe(box.tools());
  expect(await run(box, "add", { a: 2, b: 40 })).toEqual({ status: "ok", result: "42" });
});

it("what a server says went wrong is told as that, and as nothing unknown", async () => {
  const box = await boxOf();
  expect(await run(box, "fail")).toEqual({ status: "error", result: "no such issue" });
  expect(await run(box, "refuse")).toMatchObject({
    status: "error",
    result: expect.stringContaining("text is missing"),
  });
});

it("whether a call took effect is unknown when its server died with it, and the server is not begun over and over", async () => {
  const box = await boxOf();
  const died = await run(box, "note_then_die", { file: join(folder, "notes"), text: "once" });
  expect(died).toMatchObject({ status: "unknown", result: expect.stringContaining("ended with 7") });
  expect(await notes()).toBe("once\n");
  expect(box.missing()).toEqual([expect.stringContaining("ended with 7")]);
  expect(box.tools().size).toBe(0);
});

it("a call that hears nothing for too long is unknown, unless it may be repeated", async () => {
  const file = join(folder, "notes");
  const unsure = await boxOf("plain", { timeoutSeconds: 0.2 });
  expect(await run(unsure, "note_then_hang", { file, text: "a" })).toMatchObject({ status: "unknown" });
  const safe = await boxOf("plain", { timeoutSeconds: 0.2, effects: { note_then_hang: "idempotent" } });
  expect(await run(safe, "note_then_hang", { file, text: "b" })).toMatchObject({
    status: "error",
    result: expect.stringContaining("can be tried again"),
  });
  await expect.poll(async () => (await run(unsure, "add", { a: 1, b: 1 })).result).toBe("2"); // it is still there
});

it.each([
  ["that complains and ends", "dies", "it ended with 3: the key is missing"],
  ["whose messages never end", "floods", "it sent a message of more than 10485760 bytes"],
])("a server %s is missing with the reason", async (_, mode, why) => {
  const box = await boxOf(mode);
  expect(box.missing()).toEqual([`The MCP server "scene" is not there, so its tools are not either: ${why}`]);
  expect(box.isSettled()).toBe(true);
});

it("a program that is not there is named", async () => {
  const box = await boxOf("plain", { command: ["/nowhere/mcp-server"] });
  expect(box.missing()).toEqual([expect.stringMatching(/ended with 127.*\/nowhere\/mcp-server/)]);
});

it("words on a server's standard output that are no messages are passed over", async () => {
  const box = await boxOf("greets");
  expect(await run(box, "add", { a: 1, b: 2 })).toMatchObject({ result: "3" });
});

it("a server that ends between two calls is not called as if it were there", async () => {
  const box = await boxOf("brief");
  await expect.poll(() => box.missing()).toEqual([expect.stringContaining("it ended with 0")]);
});

it("tools that a server gets later are there at the next look", async () => {
  const box = await boxOf();
  await run(box, "grow");
  await expect.poll(() => box.tools().has("scene__grown")).toBe(true);
});

it("a server sees of the environment what is usual and what it is given, and no more", async () => {
  const box = await boxOf("plain", { passEnv: ["SCENE_TOKEN"] });
  const { env } = JSON.parse((await run(box, "see")).result) as { env: string[] };
  expect(env).toContain("PATH");
  expect(env).toContain("SCENE_TOKEN");
  expect(env).not.toContain("OTHER");
});

it("images and resources become words, and a long answer is cut in its middle", async () => {
  const box = await boxOf();
  expect((await run(box, "data")).result).toBe(
    "[image (image/png, 10 bytes), which can't be shown here]\n\n[note://1]\nthe note\n\n[the other note: note://2]",
  );
  const { result } = await run(box, "say", { words: 20_000 });
  expect(result).toMatch(/^word .*\[holdfast: 40000 of 100000 characters are left out here/s);
  expect(result.length).toBeLessThan(61_000);
});

it("an answer is read piece by piece: what nobody knows is named in its place, and takes nobody's connection", async () => {
  const box = await boxOf("plain", { command: [process.execPath, ODD_PROGRAM] });
  const waiting = run(box, "waits"); // for a call of "lets_go", on the same connection
  expect(await run(box, "video")).toEqual({
    status: "ok",
    result: "deployed #42\n\n[video (video/mp4), which can't be shown here]",
  });
  expect(await run(box, "broken")).toEqual({
    status: "error",
    result: ["text", "image (image/png)", "resource", "something", "something", "a".repeat(100)]
      .map((kind) => `[${kind}, which can't be shown here]`)
      .concat("the rest")
      .join("\n\n"),
  });
  expect(await run(box, "bare")).toEqual({ status: "ok", result: "[something, which can't be shown here]" });
  expect(await run(box, "nothing")).toEqual({ status: "ok", result: "[it answered nothing]" });
  await run(box, "lets_go");
  expect(await waiting).toEqual({ status: "ok", result: "waited" });
});

it("tools are read one by one: one that is described badly is there as far as it goes, beside all others", async () => {
  const box = await boxOf("plain", { command: [process.execPath, ODD_PROGRAM] });
  expect(box.missing()).toEqual([]);
  const parametersOf = (name: string) => box.tools().get(`scene__${name}`)?.parameters;
  expect(parametersOf("video")).toEqual({ type: "object", properties: {} });
  expect(parametersOf("untyped")).toEqual({ type: "object", properties: { a: { type: "string" } } });
  expect(parametersOf("listed")).toEqual({ type: "object", properties: {}, items: {} });
  expect(parametersOf("unread")).toEqual({ type: "object", properties: { a: {} } });
  expect(parametersOf("schemaless")).toEqual({ type: "object", properties: {} });
  expect(box.tools().get("scene__schemaless")?.description).toBe("schemaless");
  expect(box.tools().has("scene__last")).toBe(true);
});

it("only what the configuration calls a reading tool is harmless; all others are put to a person", async () => {
  const box = await boxOf("plain", { effects: { see: "read", "*": "idempotent" } });
  const harmless = async (name: string) => {
    const tool = box.tools().get(`scene__${name}`) as Tool;
    return (await tool.about({}, { session: "s", workspace: folder, hidden: "" })).harmless;
  };
  expect(await harmless("see")).toBe(true);
  expect(await harmless("add")).toBe(false);
  expect(box.tools().get("scene__add")?.effect).toBe("idempotent");
});

it("a name that providers would not take is made one, and stays its own", () => {
  expect(toolName("github", "create_issue")).toBe("github__create_issue");
  const [dots, slashes] = [toolName("x", "a.b"), toolName("x", "a/b")];
  expect(dots).toMatch(/^x__a_b_[0-9a-f]{8}$/);
  expect(dots).not.toBe(slashes);
  expect(toolName("x", "y".repeat(200))).toHaveLength(64);
});

it("a server that does not want to end is ended with whoever started it, killed or not", async () => {
  const script = `
    import { Config } from ${JSON.stringify(import.meta.resolve("../../config/schema.ts"))};
    import { mcpServersOf } from ${JSON.stringify(import.meta.resolve("../../profile/mcp-servers.ts"))};
    const { mcp } = Config.parse({ mcp: { scene: { command: [process.execPath, ${JSON.stringify(PROGRAM)}, "stays"] } } });
    const server = mcpServersOf({ mcp }, process.env, { info() {}, warn() {} }).get("scene");
    const signal = new AbortController().signal;
    await server.settle(signal);
    const { result } = await server.call("see", {}, signal);
    console.log(JSON.parse(result.content[0].text).pid);
    process.kill(process.pid, "SIGKILL");`;
  const ended = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]).catch(
    (error: { stdout: string; signal: string }) => error,
  );
  expect(ended).toMatchObject({ signal: "SIGKILL" });
  const pid = Number(ended.stdout);
  const { start } = (await readStat(pid)) ?? { start: "it was gone at once, which it can't be by itself" };
  const boot = await bootId();
  await expect.poll(() => isAlive({ boot, pid, start }), { timeout: 15_000 }).toBe(false);
});
