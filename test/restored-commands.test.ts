// A backup that is restored elsewhere knows of commands that began in another home: there is nothing to tell by what became
// of them, and so they are not run again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { AnyEvent } from "../src/session/event.ts";
import {
  startAgentServer,
  type AgentServer,
  type AgentServerOptions,
  type Conversation,
} from "./agent-server.ts";
import { envOf, holdfast } from "./holdfast.ts";
import { until } from "./open-server.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const serve = (options: Partial<AgentServerOptions>) =>
  startAgentServer({ dialect: "sqlite", says, ...options }, (cleanup) => cleanups.push(cleanup));

/** Runs the prompt as a command, behind the first word, which says how; then says what came of it. */
const says: Conversation = ({ prompts, results }) => {
  const [how, ...command] = (prompts.at(-1) ?? "").split(" ");
  if (results.length > 0) return { reply: "message", text: "I see." };
  const args = { command: command.join(" "), background: how === "background" };
  return { reply: "message", calls: [{ name: "shell", args }] };
};

it("what ran while a backup was made is lost where that is restored, told so once, and never run again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-restored-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const there = await serve({});
  const waitsForGo = "until [ -e go ]; do sleep 0.05; done";
  const waited = await there.send(`wait echo ran >> waited; ${waitsForGo}`);
  const left = await there.send(`background echo ran >> left; ${waitsForGo}`);
  await there.untilFact(left, "turn_ended");
  await until(async () => (await there.file("waited")) !== "" && (await there.file("left")) !== "");
  const backup = join(folder, "while-it-ran.backup");
  expect(await holdfast(envOf(there), ["backup", backup])).toMatchObject({ code: 0 });
  const home = join(folder, "home");
  expect(await holdfast({ HOLDFAST_HOME: home }, ["restore", backup])).toMatchObject({ code: 0 });

  const here = await serve({ home, workspace: there.workspace });
  const log = await here.untilFact(waited, "turn_ended");
  expect(dataOf(log, "tool_finished")).toMatchObject([
    { status: "unknown", result: expect.stringContaining("verify") },
  ]);
  expect(endsIn(log)).toEqual(["process_lost"]);
  expect(endsIn(await here.untilFact(left, "process_lost"))).toEqual(["process_lost"]);
  for (const name of ["waited", "left"]) expect(await here.file(name)).toBe("ran\n");
  expect(await (await here.fetch("/api/processes")).json()).toMatchObject({ items: [] });

  // Where they began they go on, and end as what they are.
  await there.touch("go");
  expect(dataOf(await there.untilFact(waited, "turn_ended"), "tool_finished")).toMatchObject([
    { status: "ok", exit: 0 },
  ]);
  expect(endsIn(await there.untilFact(left, "process_exited"))).toEqual(["process_exited"]);
});

it("a command that was only a fact when its server died still begins, in a home that a backup was restored to", async () => {
  const there = await serve({});
  await there.untilFact(await there.send("wait true"), "turn_ended");
  const folder = await mkdtemp(join(tmpdir(), "holdfast-restored-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const backup = join(folder, "all.backup");
  await holdfast(envOf(there), ["backup", backup]);
  await holdfast({ HOLDFAST_HOME: join(folder, "home") }, ["restore", backup]);

  const here = await serve({ home: join(folder, "home") });
  // It dies between the fact and the effect: the directory was never made, and that proves something in this home.
  await here.kill("SIGTERM");
  await here.start({ HOLDFAST_FAILPOINT: "after-intent:2" }); // the first is the model's
  const session = await here.send("wait echo ran >> ran");
  await here.ended();
  await here.start();
  const log = await here.untilFact(session, "turn_ended");
  expect(dataOf(log, "tool_finished")).toMatchObject([{ status: "ok", exit: 0 }]);
  expect(dataOf(log, "process_exited")).toMatchObject([{ cause: "unstarted" }, { exit: 0 }]);
  expect(await here.file("ran")).toBe("ran\n");
});

it("a command of a session that was restored in place is never taken for one of the time that was given up", async () => {
  const server = await serve({});
  const [whole, broken] = [await server.send("wait true"), await server.send("wait true")];
  for (const session of [whole, broken]) await server.untilFact(session, "turn_ended");
  const folder = await mkdtemp(join(tmpdir(), "holdfast-restored-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const backup = join(folder, "before.backup");
  expect(await holdfast(envOf(server), ["backup", backup])).toMatchObject({ code: 0 });
  for (const session of [whole, broken]) {
    await server.send("wait echo of the time that was given up", session);
    await server.untilFact(session, "turn_ended", 2);
  }
  await server.send("background sleep 300");
  await until(async () => (await processesOf(server)).length > 0);
  const [left] = await processesOf(server);
  await server.kill("SIGTERM");
  expect(await holdfast({ HOLDFAST_HOME: server.home }, ["restore", backup])).toMatchObject({ code: 0 });

  await server.start({ HOLDFAST_FAILPOINT: "after-intent:5" }); // the models and the command of a turn, a model, and what it dies before
  await server.send("wait echo ran >> whole; echo of now", whole);
  await server.untilFact(whole, "turn_ended", 2);
  expect(server.output).toContain(`"process":"${left}"`);
  await server.send("wait echo ran >> broken; echo of now", broken);
  await server.ended();
  await server.start();
  for (const session of [whole, broken]) {
    const log = await server.untilFact(session, "turn_ended", 2);
    expect(dataOf(log, "tool_finished").at(-1)).toMatchObject({ status: "ok", result: "of now\n", exit: 0 });
  }
  for (const name of ["whole", "broken"]) expect(await server.file(name)).toBe("ran\n");
});

async function processesOf(server: AgentServer): Promise<string[]> {
  const { items } = (await (await server.fetch("/api/processes")).json()) as { items: { id: string }[] };
  return items.map(({ id }) => id);
}

function dataOf(log: readonly AnyEvent[], type: string): unknown[] {
  return log.filter((event) => event.type === type).map(({ data }) => data);
}

function endsIn(log: readonly AnyEvent[]): string[] {
  return log.flatMap(({ type }) => (/^process_(exited|lost|stopped)$/.test(type) ? [type] : []));
}
