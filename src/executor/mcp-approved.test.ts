// An approval of a server's tool is for the program or the address that had the server's name when it was given.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { Config } from "../config/schema.ts";
import { mcpServersOf } from "../profile/mcp-servers.ts";
import type { AnyEvent, FactData } from "../session/event.ts";
import type { McpServer } from "../tool/mcp/server.ts";
import { toolbox } from "../tool/toolbox.ts";
import { results, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const PROGRAM = fileURLToPath(new URL("../tool/mcp/scene-server.ts", import.meta.url));
const ASKS = { approvals: "ask", config: [] } as const;

const scene = useScene();
const open: McpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const given = () => ({ file: join(scene.workspace, "notes"), text: "a note" });
const notes: Script = ({ context }) =>
  context.at(-1)?.role === "person" ? { call: "scene__note", args: given() } : "Done.";
const hangs: Script = ({ context }) =>
  context.at(-1)?.role === "person" ? { call: "scene__note_then_hang", args: given() } : "Done.";
const written = () => readFile(join(scene.workspace, "notes"), "utf8").catch(() => "");

/** With a program under the name that another one had before. */
async function runWith(
  words: readonly string[],
  policy: object = ASKS,
  script: Script = notes,
  effects: object = {},
): Promise<void> {
  const command = [process.execPath, PROGRAM, ...words];
  const { mcp } = Config.parse({ mcp: { scene: { command, effects } } });
  const servers = [...mcpServersOf({ mcp }, process.env, { info: () => {}, warn: () => {} }).values()];
  open.push(...servers);
  await scene.run(script, { toolbox: toolbox(new Map(), servers), policy: { ...ASKS, ...policy } });
}

it("what was approved once for one program is asked about again before another has it", async () => {
  await runWith(["plain"]);
  const session = await scene.send("go");
  const [first] = asksIn(await scene.untilFact(session, "ask_opened"));
  await scene.stop();
  await answer(session, first!.ask, "once");
  await runWith(["plain", "--other"]);
  const [, second] = asksIn(await scene.untilFact(session, "ask_opened", 2));
  expect(second?.digest).not.toBe(first?.digest);
  expect(await written()).toBe("");

  await answer(session, second!.ask, "once");
  expect(results(await scene.untilFact(session, "turn_ended"))).toMatchObject([{ status: "ok" }]);
  expect(await written()).toBe("a note\n");
});

it.each(["session", "always"])(
  "what was allowed for good (%s) is so for that program alone",
  async (choice) => {
    await runWith(["plain"]);
    const session = await scene.send("go");
    const [first] = asksIn(await scene.untilFact(session, "ask_opened"));
    await answer(session, first!.ask, choice);
    await scene.untilFact(session, "turn_ended");
    await runWith(["plain"]);
    await scene.send("again", session);
    expect(asksIn(await scene.untilFact(session, "turn_ended", 2))).toHaveLength(1);

    await runWith(["plain", "--other"]);
    await scene.send("and now?", session);
    expect(asksIn(await scene.untilFact(session, "ask_opened", 2))).toHaveLength(2);
    expect(await written()).toBe("a note\n".repeat(2));
  },
);

it("a call that may be repeated is not made anew by another program than it was begun with", async () => {
  const config = [{ tool: "scene__*", match: "*", decision: "allow" }];
  const effects = { note_then_hang: "idempotent" };
  await runWith(["plain"], { config }, hangs, effects);
  const session = await scene.send("go");
  await expect.poll(written).toBe("a note\n");
  await scene.stop();
  await runWith(["plain", "--other"], { config }, hangs, effects);
  expect(results(await scene.untilFact(session, "turn_ended"))).toMatchObject([
    { status: "error", result: expect.stringContaining("another program or address") },
  ]);
  expect(await written()).toBe("a note\n");
});

it("a rule that was saved without the program allows none", async () => {
  const digest = createHash("sha256")
    .update(JSON.stringify(["scene__note", given(), undefined]))
    .digest("hex");
  const rule = { tool: "scene__note", match: `sha256:${digest}`, decision: "allow" } as const;
  await scene.store.addRule({ ...rule, id: "rul_1", profile: "default" });
  await runWith(["plain"]);
  await scene.untilFact(await scene.send("go"), "ask_opened");
  expect(await written()).toBe("");
});

it("a rule of the configuration speaks of the name, whatever program has it", async () => {
  const config = [{ tool: "scene__*", match: "*", decision: "allow" }];
  for (const [n, words] of [["plain"], ["plain", "--other"]].entries()) {
    await runWith(words, { config });
    const log = await scene.untilFact(await scene.send("go"), "turn_ended");
    expect([n, asksIn(log)]).toEqual([n, []]);
  }
  expect(await written()).toBe("a note\n".repeat(2));
});

it("a person sees which program it is, on the card and in what was allowed, and no token that it is given", async () => {
  await runWith(["plain", "--api-key", "hunter-2-hunter"]);
  const session = await scene.send("go");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  const program = `${process.execPath} ${PROGRAM} plain --api-key [secret]`;
  expect(ask?.details).toContainEqual({ name: "MCP server", text: program });
  await answer(session, ask!.ask, "always");
  const log = await scene.untilFact(session, "turn_ended");
  const rules = await scene.store.rules();
  expect(rules).toMatchObject([{ shown: expect.stringContaining(program) }]);
  expect(JSON.stringify([log, rules])).not.toContain("hunter");
});

function asksIn(events: readonly AnyEvent[]): FactData<"ask_opened">[] {
  return events.flatMap(({ type, data }) => (type === "ask_opened" ? [data as FactData<"ask_opened">] : []));
}

async function answer(session: string, ask: string, choice: string): Promise<void> {
  await scene.append(session, { type: "ask_answered", data: { ask, kind: "approval", answer: { choice } } });
}
