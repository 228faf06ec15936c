// An approval is for exactly what its card showed.
import { mkdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AnyEvent, FactData } from "../session/event.ts";
import { results, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();
const ASKS = { policy: { approvals: "ask", config: [] } } as const;
const marks: Script = ({ context }) =>
  context.length === 1 ? { call: "shell", args: { command: "pwd >> mark" } } : "Done.";

it("what was approved for one directory is asked about again before it runs in another", async () => {
  const other = join(scene.workspace, "other");
  await mkdir(other);
  await scene.run(marks, ASKS);
  const session = await scene.send("go");
  const [first] = asksIn(await scene.untilFact(session, "ask_opened"));
  await scene.stop();
  await answer(session, first!.ask, "once");
  await scene.run(marks, { ...ASKS, workspace: () => ({ path: other, scratch: false }) });
  const [, second] = asksIn(await scene.untilFact(session, "ask_opened", 2));
  expect([first?.cwd, second?.cwd]).toEqual([scene.workspace, other]);
  expect(second?.digest).not.toBe(first?.digest);

  await answer(session, second!.ask, "once");
  const events = await scene.untilFact(session, "turn_ended");
  expect(results(events)).toMatchObject([{ status: "ok" }]);
  expect(await readFile(join(other, "mark"), "utf8")).toBe(`${other}\n`);
  expect(events.find(({ type }) => type === "notice")?.data).toMatchObject({
    text: expect.stringContaining("asked about again"),
  });
});

it("what was approved does not run once a rule denies it", async () => {
  await scene.run(marks, ASKS);
  const session = await scene.send("go");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  await scene.stop();
  await answer(session, ask!.ask, "once");
  const config = [{ tool: "shell", match: "pwd *", decision: "deny" }] as const;
  await scene.run(marks, { policy: { approvals: "ask", config } });
  const events = await scene.untilFact(session, "turn_ended");
  expect(results(events)).toMatchObject([{ status: "denied", result: expect.stringContaining("pwd *") }]);
});

it("what was approved for a sandbox is asked about again before it runs without one", async () => {
  const config = [{ tool: "shell", match: "*", decision: "ask" }] as const;
  const asks = { policy: { approvals: "ask", config } } as const;
  await scene.run(marks, { ...asks, sandboxed: true });
  const session = await scene.send("go");
  const [first] = asksIn(await scene.untilFact(session, "ask_opened"));
  expect(first?.details).toContainEqual({ name: "sandbox", text: "it runs inside" });
  await scene.stop();
  await answer(session, first!.ask, "once");
  await scene.run(marks, asks);
  const events = await scene.untilFact(session, "ask_opened", 2);
  expect(asksIn(events)[1]?.details ?? []).not.toContainEqual(expect.objectContaining({ name: "sandbox" }));
  expect(results(events)).toEqual([]);
});

it("what was approved for a directory behind a link is asked about again once that leads elsewhere", async () => {
  const link = join(scene.workspace, "way");
  const there: Script = ({ context }) =>
    context.length === 1 ? { call: "shell", args: { command: "pwd >> mark", cwd: "way" } } : "Done.";
  await symlink("/tmp", link);
  await scene.run(there, ASKS);
  const session = await scene.send("go");
  const [first] = asksIn(await scene.untilFact(session, "ask_opened"));
  expect(first?.details).toContainEqual({ name: "leads to", text: await realpath("/tmp") });
  await scene.stop();
  await rm(link);
  await symlink("/", link);
  await answer(session, first!.ask, "once");
  await scene.run(there, ASKS);
  const [, second] = asksIn(await scene.untilFact(session, "ask_opened", 2));
  expect(second?.details).toContainEqual({ name: "leads to", text: "/" });
});

it("for good is offered where it would hold, and not where a rule wants it asked each time", async () => {
  const config = [{ tool: "shell", match: "pwd *", decision: "ask" }] as const;
  const offered = async (policy: { approvals: "ask"; config: readonly (typeof config)[number][] }) => {
    await scene.run(marks, { policy });
    const [ask] = asksIn(await scene.untilFact(await scene.send("go"), "ask_opened"));
    await scene.stop();
    return ask?.choices?.map(({ id }) => id);
  };
  expect(await offered({ approvals: "ask", config: [] })).toEqual(["once", "session", "always", "deny"]);
  expect(await offered({ approvals: "ask", config })).toEqual(["once", "deny"]);
});

it("a denial stands, whatever would be done", async () => {
  await scene.run(marks, ASKS);
  const session = await scene.send("go");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  await scene.stop();
  await answer(session, ask!.ask, "deny");
  await scene.run(marks, { ...ASKS, workspace: () => ({ path: "/tmp", scratch: false }) });
  const events = await scene.untilFact(session, "turn_ended");
  expect(results(events)).toMatchObject([{ status: "denied" }]);
});

it("a rule that allows a command allows nothing that is chained to it", async () => {
  const config = [{ tool: "shell", match: "echo *", decision: "allow" }] as const;
  const calls = ["echo a", "echo a; echo b > climbed"].map((command) => ({
    call: "shell",
    args: { command },
  }));
  await scene.run(({ context }) => (context.length === 1 ? { calls } : "Done."), {
    policy: { approvals: "ask", config },
  });
  const session = await scene.send("go");
  expect(results(await scene.untilFact(session, "tool_finished"))).toMatchObject([{ result: "a\n" }]);
  expect(asksIn(await scene.untilFact(session, "ask_opened"))).toMatchObject([
    { command: "echo a; echo b > climbed" },
  ]);
});

function asksIn(events: readonly AnyEvent[]): FactData<"ask_opened">[] {
  return events.flatMap(({ type, data }) => (type === "ask_opened" ? [data as FactData<"ask_opened">] : []));
}

async function answer(session: string, ask: string, choice: string): Promise<void> {
  await scene.append(session, { type: "ask_answered", data: { ask, kind: "approval", answer: { choice } } });
}
