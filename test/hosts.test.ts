// Several nodes on one database: the work of a session belongs to the host of its workspace. Nodes of that host take over at
// once; another host only where the workspace is shared and nothing of the session may still run on the lost one.
import { afterEach, expect, inject, it } from "vitest";
import { WebSocket } from "ws";
import type { ClientFrame, ServerFrame } from "../src/protocol/socket.ts";
import { startAgentServer, type AgentServer, type Conversation } from "./agent-server.ts";
import { callApi } from "./call-api.ts";
import { envOf, holdfast } from "./holdfast.ts";
import { until } from "./open-server.ts";
import { createDatabase } from "./postgres.ts";
import { facts } from "./seen-facts.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const CONFIG = "[executor]\nleaseSeconds = 1\n";

async function nodes(says: Conversation, profile = "") {
  const database = await createDatabase(inject("postgresUrl"));
  cleanups.push(() => database.drop());
  const shared: { workspace?: string } = {};
  return async (host: string, home?: string): Promise<AgentServer> => {
    const node = await startAgentServer(
      {
        dialect: "postgres",
        databaseUrl: database.url,
        says,
        profile,
        config: CONFIG,
        env: { HOLDFAST_HOST_ID: host },
        ...(home !== undefined && { home }),
        ...(shared.workspace !== undefined && { workspace: shared.workspace }),
      },
      (cleanup) => cleanups.push(cleanup),
    );
    shared.workspace ??= node.workspace;
    return node;
  };
}

/** Talks without end until it is told otherwise, then answers at once. */
function hesitant(): { says: Conversation; decide: () => void } {
  let hangs = true;
  return {
    says: ({ prompts }) =>
      hangs && prompts.at(-1) === "think"
        ? {
            reply: "message",
            text: "well well",
            tokensPerSecond: 20,
            breaks: { afterTokens: 1, how: "hang" },
          }
        : { reply: "message", text: "Done." },
    decide: () => void (hangs = false),
  };
}

it("another host leaves a session alone; a node of its own host takes over at once", async () => {
  const { says, decide } = hesitant();
  const node = await nodes(says);
  const here = await node("host-a");
  const session = await here.send("think");
  await here.untilFact(session, "draft");
  const there = await node("host-b");
  expect(executorsOf(await here.log(session)).size).toBe(1);
  await here.kill("SIGKILL");
  decide();

  // The other host looks for work all the while, and finds its own; it says of the other that nobody goes on with it.
  await until(() => isLost(there, "host-a"));
  await there.untilFact(session, "executor_lost");
  expect(await shownBy(there, session)).toMatchObject({
    status: "recovering",
    view: { turn: { recovering: true } },
  });
  for (let n = 0; n < 3; n++) await there.untilFact(await there.send("quick"), "turn_ended");
  expect(facts(await there.log(session)).map(({ type }) => type)).not.toContain("executor_recovered");

  const again = await node("host-a", here.home);
  const log = await again.untilFact(session, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(executorsOf(log).size).toBe(2);
  expect(facts(log).filter(({ type }) => type === "executor_lost")).toHaveLength(1);
  expect(await shownBy(there, session)).toMatchObject({ status: "idle" });
});

it("a command that outlives its node is gone on with by another node of its host, and never run again", async () => {
  const says: Conversation = ({ results }) =>
    results.length > 0
      ? { reply: "message", text: `It said ${results[0] ?? "nothing"}` }
      : {
          reply: "message",
          calls: [
            {
              name: "shell",
              args: { command: "echo began >> marker; until [ -e go ]; do sleep 0.05; done; echo went" },
            },
          ],
        };
  const node = await nodes(says);
  const here = await node("host-a");
  const session = await here.send("work");
  const beside = await node("host-a", here.home);
  await until(async () => (await here.file("marker")) !== "");
  await here.kill("SIGKILL");
  await beside.untilFact(session, "executor_recovered");
  await here.touch("go");
  const log = await beside.untilFact(session, "turn_ended");
  expect(JSON.stringify(log.findLast(({ type }) => type === "step_completed")?.data)).toContain(
    "It said went",
  );
  expect(await here.file("marker")).toBe("began\n");
  expect(processesIn(log)).toHaveLength(1);
  expect(executorsOf(log).size).toBe(2);
});

it("a host that comes back with a new home does not run again what began in the old one", async () => {
  const node = await nodes(({ results }) =>
    results.length > 0
      ? { reply: "message", text: "I see." }
      : { reply: "message", calls: [{ name: "shell", args: { command: "echo began >> marker; sleep 60" } }] },
  );
  const here = await node("host-a");
  const session = await here.send("work");
  await until(async () => (await here.file("marker")) !== "");
  await here.kill("SIGKILL");
  const again = await node("host-a");
  const log = await again.untilFact(session, "turn_ended");
  expect(facts(log).filter(({ type }) => type === "tool_finished")).toMatchObject([
    { data: { status: "unknown" } },
  ]);
  expect(processesIn(log)).toHaveLength(1);
  expect(await here.file("marker")).toBe("began\n");
});

it("a session in a shared workspace goes on on another host when its own is lost", async () => {
  const { says, decide } = hesitant();
  const node = await nodes(says, "sharedWorkspace = true");
  const here = await node("host-a");
  const session = await here.send("think");
  await here.untilFact(session, "draft");
  const there = await node("host-b");
  await here.kill("SIGKILL");
  decide();
  const log = await there.untilFact(session, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(facts(log).map(({ type }) => type)).toContain("executor_recovered");
});

it("not even there while a command may still run on the lost one; it is read back where it ran", async () => {
  const says: Conversation = ({ prompts, results }) =>
    prompts.at(-1) !== "work" || results.length > 0
      ? { reply: "message", text: `It said ${results[0] ?? "nothing"}` }
      : {
          reply: "message",
          calls: [
            {
              name: "shell",
              args: { command: "echo began >> marker; until [ -e go ]; do sleep 0.05; done; echo went" },
            },
          ],
        };
  const node = await nodes(says, "sharedWorkspace = true");
  const here = await node("host-a");
  const session = await here.send("work");
  await until(async () => (await here.file("marker")) !== "");
  const there = await node("host-b");
  await here.kill("SIGKILL");
  await until(() => isLost(there, "host-a"));
  for (let n = 0; n < 3; n++) await there.untilFact(await there.send("quick"), "turn_ended");
  expect(facts(await there.log(session)).map(({ type }) => type)).not.toContain("executor_recovered");

  await here.touch("go");
  await here.start();
  const log = await there.untilFact(session, "turn_ended"); // read by any node
  expect(JSON.stringify(log.findLast(({ type }) => type === "step_completed")?.data)).toContain(
    "It said went",
  );
  expect(await here.file("marker")).toBe("began\n");
});

it("a session goes to another host when a person says so, and what ran on the lost one counts as unknown", async () => {
  const says: Conversation = ({ prompts, results }) =>
    prompts.at(-1) !== "work" || results.length > 0
      ? { reply: "message", text: `It said ${results[0] ?? "nothing"}` }
      : {
          reply: "message",
          calls: [
            {
              name: "shell",
              args: {
                command: "echo began >> marker; echo began here; until [ -e go ]; do sleep 0.05; done",
              },
            },
          ],
        };
  const node = await nodes(says);
  const here = await node("host-a");
  const session = await here.send("work");
  await until(async () => (await here.file("marker")) !== "");
  const there = await node("host-b");
  const move = async (body: object) => {
    const answer = await there.fetch(`/api/sessions/${session}/move`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  expect(await move({ confirm: true })).toMatchObject({ status: 409, code: "conflict", host: "host-a" });

  const [process] = processesIn(await there.log(session));
  const output = async () => {
    const answer = await there.fetch(`/api/processes/${process}/output?offset=0&limit=100`);
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  await until(async () => JSON.stringify(await output()).includes("began here")); // fetched from where it is said

  await here.kill("SIGKILL");
  await until(() => isLost(there, "host-a"));
  expect(await output()).toMatchObject({ status: 503, code: "host_down" });
  expect(await move({})).toMatchObject({
    status: 409,
    code: "live",
    host: "host-a",
    to: "host-b",
    processes: [{ id: process, command: expect.stringContaining("echo began") }],
  });
  expect(await move({ confirm: true })).toMatchObject({ from: "host-a", to: "host-b", lost: [process] });
  const log = await there.untilFact(session, "turn_ended");
  await here.touch("go"); // what ran there may end
  expect(log.find(({ type }) => type === "tool_finished")?.data).toMatchObject({ status: "unknown" });
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(executorsOf(log).size).toBe(2);
  expect(await here.file("marker")).toBe("began\n"); // never run again
  expect(await move({ confirm: true })).toMatchObject({ status: 200, from: "host-b", lost: [] });
  const again = await holdfast(envOf(there), ["sessions", "move", session, "--yes"]);
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('on "host-b" already') });
});

it("a session that could go on, but for its host, says so with the host and the way out", async () => {
  const says: Conversation = ({ prompts, results }) =>
    prompts.at(-1) !== "work" || results.length > 0
      ? { reply: "message", text: "Done." }
      : { reply: "message", calls: [{ name: "shell", args: { command: "echo ran >> marker" } }] };
  const node = await nodes(says, 'approvals = "ask"\nsandbox = "none"');
  const here = await node("host-a");
  const there = await node("host-b");
  const [asks, idle] = [await here.send("work"), await here.send("quick")];
  await there.untilFact(asks, "ask_opened");
  await there.untilFact(idle, "turn_ended");
  await here.kill("SIGKILL");
  await until(() => isLost(there, "host-a"));
  const { items } = await callApi<{ items: { id: string }[] }>(there, "GET", `/api/asks?session=${asks}`);
  await callApi(there, "POST", `/api/asks/${items[0]?.id}/answer`, { choice: "once" });
  await there.send("and then?", idle);

  const told = facts(await there.untilFact(asks, "notice")).slice(-2);
  expect(told.map(({ type }) => type)).toEqual(["executor_lost", "notice"]);
  const wayOut = `holdfast sessions move ${asks} --yes`;
  const shown = { status: "recovering", view: { turn: { recovering: true } } };
  expect(await shownBy(there, asks)).toMatchObject(shown);
  expect((await holdfast(envOf(there), ["sessions", "show", asks])).out).toMatch(
    new RegExp(`host "host-a".*${wayOut}`),
  );
  expect(facts(await there.untilFact(idle, "notice")).at(-1)?.data).toMatchObject({
    level: "warn",
    text: expect.stringContaining(`holdfast sessions move ${idle} --yes`),
  });

  expect(await holdfast(envOf(there), wayOut.split(" ").slice(1))).toMatchObject({ code: 0 });
  const log = await there.untilFact(asks, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(await there.file("marker")).toBe("ran\n");
  const again = await node("host-a", here.home);
  await again.untilFact(idle, "turn_ended", 2);
  for (const session of [asks, idle])
    expect(facts(await there.log(session)).filter(isStranded)).toHaveLength(1);
});

it("a session takes the delegates along that worked for it on the lost host", async () => {
  const says: Conversation = ({ prompts, results }) => {
    if (results.length > 0) return { reply: "message", text: `It said ${results[0]}` };
    const call =
      prompts.at(-1) === "give it away"
        ? { name: "delegate", args: { prompt: "work" } }
        : {
            name: "shell",
            args: { command: "echo began >> marker; until [ -e go ]; do sleep 0.05; done" },
          };
    return prompts.at(-1) === "quick"
      ? { reply: "message", text: "Done." }
      : { reply: "message", calls: [call] };
  };
  const node = await nodes(says);
  const here = await node("host-a");
  const parent = await here.send("give it away");
  await until(async () => (await here.file("marker")) !== "");
  const there = await node("host-b");
  await here.kill("SIGKILL");
  await until(() => isLost(there, "host-a"));
  const delegated = (await there.untilFact(parent, "delegated")).find(({ type }) => type === "delegated");
  const { session: child } = (delegated as { data: { session: string } }).data; // it is there, or the wait goes on
  const [process] = processesIn(await there.log(child));
  const refused = await holdfast(envOf(there), ["sessions", "move", parent]);
  expect(refused).toMatchObject({ code: 4, err: expect.stringContaining("the 1 that work for it there") });
  const moved = await holdfast(envOf(there), ["sessions", "move", parent, "--yes", "--json"]);
  expect(JSON.parse(moved.out)).toEqual({
    session: parent,
    from: "host-a",
    to: "host-b",
    lost: [process],
    delegates: [child],
    left: [],
  });
  const log = await there.untilFact(parent, "turn_ended");
  await here.touch("go"); // what ran there may end
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  const unknown = (await there.log(child)).find(({ type }) => type === "tool_finished");
  expect(unknown?.data).toMatchObject({ status: "unknown" });
  expect(await here.file("marker")).toBe("began\n"); // never run again
});

it("what a command says on another host is followed and listed on any", async () => {
  const command = "echo began; until [ -e go ]; do sleep 0.05; done; echo went";
  const says: Conversation = ({ results }) =>
    results.length > 0
      ? { reply: "message", text: "Done." }
      : { reply: "message", calls: [{ name: "shell", args: { command } }] };
  const node = await nodes(says);
  const here = await node("host-a");
  const session = await here.send("work");
  await here.untilFact(session, "process_started");
  const [process] = processesIn(await here.log(session));
  const there = await node("host-b");
  const tails = async () => {
    const list = (await (await there.fetch("/api/processes")).json()) as { items: Row[] };
    const one = (await (await there.fetch(`/api/processes/${process}`)).json()) as Row;
    return [list.items.find(({ id }) => id === process), one].map((row) => row?.outputTail);
  };
  await until(async () => (await tails()).every((tail) => tail === "began\n"));
  const watched = watchProcesses(there);
  await until(() => watched.get(process ?? "")?.outputTail === "began\n");

  const output = followOutput(there, process ?? "");
  await until(() => output.text === "began\n");
  expect(output.isOver).toBe(false);
  await here.touch("go");
  await until(() => output.isOver);
  expect(output.text).toBe("began\nwent\n");
  await here.kill("SIGKILL");
  await until(() => isLost(there, "host-a"));
  const late = followOutput(there, process ?? "");
  await until(() => late.error !== "");
  expect(late).toMatchObject({ error: "host_down", text: "" });
  expect(await tails()).toEqual([undefined, null]); // it is over, and what it said is out of reach
});

type Row = { id: string; outputTail: string | null };
type Followed = { text: string; isOver: boolean; error: string };

function watchProcesses(node: AgentServer): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  openSocket(node, { op: "watch", topic: "processes" }, (frame) => {
    if (frame.op === "rows" && frame.topic === "processes")
      for (const row of frame.rows) rows.set(row.id, row);
  });
  return rows;
}

function followOutput(node: AgentServer, process: string): Followed {
  const followed: Followed = { text: "", isOver: false, error: "" };
  openSocket(node, { op: "attach", process, after: 0 }, (frame) => {
    if (frame.op === "output") {
      followed.text += frame.text;
      followed.isOver = frame.over;
    }
    if (frame.op === "error") followed.error = frame.code;
  });
  return followed;
}

function openSocket(
  { url, token }: AgentServer,
  first: ClientFrame,
  heard: (frame: ServerFrame) => void,
): void {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  cleanups.push(async () => socket.terminate());
  socket.on("open", () => socket.send(JSON.stringify(first)));
  socket.on("message", (data: Buffer) => heard(JSON.parse(data.toString()) as ServerFrame)); // our own server's
}

it("of a node that was asleep for longer than its lease nothing is accepted once it wakes", async () => {
  const { says, decide } = hesitant();
  const node = await nodes(says);
  const sleeper = await node("host-a");
  const session = await sleeper.send("think");
  await sleeper.untilFact(session, "draft");
  const other = await node("host-a", sleeper.home);
  sleeper.signal("SIGSTOP");
  decide();
  const log = await other.untilFact(session, "turn_ended"); // taken over when the lease had run out
  sleeper.signal("SIGCONT");
  sleeper.model.requests.at(-1)?.sever(); // what it was waiting for ends: it would now say how
  await sleeper.untilFact(await sleeper.send("quick"), "turn_ended");
  await until(() => sleeper.output.includes("the lease went to another executor"));
  expect(await other.log(session)).toEqual(log);
  const epochs = log.flatMap(({ by }) => ("executor" in by ? [by.epoch] : []));
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  expect(executorsOf(log).size).toBe(2);
});

function processesIn(log: Awaited<ReturnType<AgentServer["log"]>>): string[] {
  return log.flatMap(({ type, data }) =>
    type === "process_started" ? [(data as { process: string }).process] : [],
  );
}

function executorsOf(log: Awaited<ReturnType<AgentServer["log"]>>): Set<string> {
  return new Set(log.flatMap(({ by }) => ("executor" in by ? [by.executor] : [])));
}

async function shownBy(server: AgentServer, session: string): Promise<unknown> {
  return (await server.fetch(`/api/sessions/${session}`)).json();
}

function isStranded({ type, data }: { type: string; data: unknown }): boolean {
  return type === "notice" && JSON.stringify(data).includes("sessions move");
}

/** Seen by the other node: from here on it would take over what it may. */
async function isLost(server: AgentServer, host: string): Promise<boolean> {
  const { nodes: all } = (await (await server.fetch("/api/overview")).json()) as {
    nodes: { host: string; alive: boolean }[];
  };
  return all.every((node) => node.host !== host || !node.alive);
}
