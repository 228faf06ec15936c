// What a crash does, at each named line, to a real server on both stores. Invariants 1, 4, 5: the log goes on from what it
// held, and what a command or a tool did was done once.
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AnyEvent } from "../src/session/event.ts";
import type { Failpoint } from "../src/failpoint.ts";
import { startAgentServer, type AgentServer, type Conversation, type Dialect } from "./agent-server.ts";
import { callApi } from "./call-api.ts";
import { facts } from "./seen-facts.ts";
import { until } from "./open-server.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const serve = (dialect: Dialect, says: Conversation, profile?: string): Promise<AgentServer> =>
  startAgentServer({ dialect, says, ...(profile !== undefined && { profile }) }, (cleanup) => {
    cleanups.push(cleanup);
  });

/** Two calls at once, then another, then an answer that names all their results. */
const threeCalls: Conversation = ({ results }) => {
  const shell = (word: string) => ({
    name: "shell",
    args: { command: `echo ${word} >> marker; echo said-${word}` },
  });
  if (results.length === 0)
    return {
      reply: "message",
      text: "I begin with two things at once, one of them a file.",
      tokensPerSecond: 200, // else it is whole before a word of it was worth a draft
      calls: [shell("one"), { name: "write", args: { path: "note.txt", text: "noted" } }],
    };
  if (results.length === 2) return { reply: "message", text: "And now the other.", calls: [shell("two")] };
  return {
    reply: "message",
    text: `All is done: ${results
      .map((result) => result.trim())
      .toSorted()
      .join(", ")}`,
  };
};

const FAILPOINTS: [Failpoint, number][] = [
  ["before-commit", 1],
  ["before-commit", 5],
  ["after-commit", 2],
  ["after-commit", 4],
  ["after-commit", 8],
  ["after-intent", 1],
  ["after-intent", 2],
  ["after-intent", 3],
  ["after-effect", 1],
  ["after-effect", 2],
  ["after-effect", 3],
  ["after-effect", 4],
  ["mid-stream", 1],
  ["between-tools", 1],
];

describe.each(["sqlite", "postgres"] as const)("on %s", (dialect) => {
  it("a turn goes on from whatever line its server died at, and everything in it was done once", async () => {
    const server = await serve(dialect, threeCalls);
    for (const [name, nth] of FAILPOINTS) {
      await server.kill();
      const before = await commandsRun(server);
      await server.start({ HOLDFAST_FAILPOINT: `${name}:${nth}` });
      const session = await server.send(`go on through ${name} ${nth}`);
      expect([name, nth, (await server.ended()).signal]).toEqual([name, nth, "SIGKILL"]);
      await server.start();
      const log = await server.untilFact(session, "turn_ended");
      expectWhole(log);
      expect([name, nth, log.at(-1)?.data, answerIn(log), (await commandsRun(server)) - before]).toEqual([
        name,
        nth,
        expect.objectContaining({ outcome: "completed" }),
        "All is done: Wrote 5 bytes to note.txt., said-one, said-two",
        2,
      ]);
    }
  }, 180_000);

  it("a command outlives its server: it is not run again, and its real output and exit code reach the model", async () => {
    const server = await serve(dialect, ({ results }) =>
      results.length === 0
        ? {
            reply: "message",
            calls: [
              {
                name: "shell",
                args: {
                  command: "echo began >> marker; until [ -e go ]; do sleep 0.05; done; echo went; exit 7",
                },
              },
            ],
          }
        : { reply: "message", text: `It said ${results[0]}` },
    );
    const session = await server.send("wait for it");
    await until(async () => (await server.file("marker")) !== "");
    await server.kill("SIGKILL");
    await server.touch("go");
    await server.start();
    const log = await server.untilFact(session, "turn_ended");
    expect(log.find(({ type }) => type === "tool_finished")?.data).toMatchObject({
      status: "error",
      exit: 7,
    });
    expect(answerIn(log)).toMatch(/^It said went\s+\[exit 7: exit\]/);
    expect(await server.file("marker")).toBe("began\n");
  });

  it("words that were said before a crash stay, superseded, and the answer comes anew", async () => {
    let slow = true;
    const server = await serve(dialect, () => ({
      reply: "message",
      text: "one two three four five six seven",
      ...(slow && { tokensPerSecond: 10, breaks: { afterTokens: 4, how: "hang" as const } }),
    }));
    const session = await server.send("count");
    await server.untilFact(session, "draft");
    await server.kill("SIGKILL");
    slow = false;
    await server.start();
    const log = await server.untilFact(session, "turn_ended");
    expect(facts(log).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["executor_recovered", "step_aborted", "step_completed"]),
    );
    const words = log
      .filter(({ type }) => type === "draft")
      .map(({ data }) => (data as { text: string }).text);
    expect("one two three four five six seven".startsWith(words.join("").trim())).toBe(true);
    expect(words.join("")).toContain("one");
    expect(answerIn(log)).toBe("one two three four five six seven");
  });

  it("an ask that was open stays open, holds nothing, and goes on when it is answered", async () => {
    const server = await serve(dialect, threeCalls, 'approvals = "ask"\nsandbox = "none"');
    const session = await server.send("may I");
    await server.untilFact(session, "ask_opened");
    await server.kill("SIGKILL");
    await server.start();
    const shown = (await (await server.fetch(`/api/sessions/${session}`)).json()) as {
      status: string;
      view: { asks: { command: string }[] };
    };
    expect(shown).toMatchObject({ status: "waiting", view: { asks: [{ kind: "approval" }] } });
    expect(await server.file("marker")).toBe("");
    for (let opened = 1; opened <= 2; opened++) {
      const asks = (await server.untilFact(session, "ask_opened", opened)).filter(
        ({ type }) => type === "ask_opened",
      );
      const { ask } = asks.at(-1)!.data as { ask: string };
      expect(await answer(server, ask)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    }
    const log = await server.untilFact(session, "turn_ended");
    expect(answerIn(log)).toContain("said-one, said-two");
    expect(await commandsRun(server)).toBe(2);
  });

  it("an ask expires in its time though its server died meanwhile, and its call is denied", async () => {
    const server = await serve(
      dialect,
      threeCalls,
      'approvals = "ask"\nsandbox = "none"\naskExpiryMinutes = 0.02',
    );
    const session = await server.send("may I");
    await server.untilFact(session, "ask_opened");
    await server.kill("SIGKILL");
    await server.start();
    const log = await server.untilFact(session, "turn_ended");
    const closed = log.filter(({ type }) => type === "ask_closed").map(({ data }) => data);
    const opened = log.filter(({ type }) => type === "ask_opened");
    expect(closed).toEqual(opened.map(() => expect.objectContaining({ reason: "expired" })));
    expect(await commandsRun(server)).toBe(0);
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  });

  it("what waits for a free place after a crash is said to recover, and then goes on", async () => {
    let hangs = true;
    const server = await serve(dialect, () => ({
      reply: "message",
      text: "one two",
      ...(hangs && { breaks: { afterTokens: 1, how: "hang" as const } }),
    }));
    const sessions = [await server.send("first"), await server.send("second")];
    for (const session of sessions) await server.untilFact(session, "draft");
    await server.kill("SIGKILL");
    await appendFile(join(server.home, "config.toml"), "[executor]\nmaxTurns = 1\n");
    await server.start();
    const statuses = () => Promise.all(sessions.map((session) => statusOf(server, session)));
    await until(async () => (await statuses()).toSorted().join() === "recovering,running");
    const waits = sessions[(await statuses()).indexOf("recovering")] ?? "";
    const works = sessions.find((session) => session !== waits) ?? "";
    hangs = false;
    await server.fetch(`/api/sessions/${works}/stop`, { method: "POST" });
    const log = await server.untilFact(waits, "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
    expect(facts(log).filter(({ type }) => type === "executor_lost")).toHaveLength(1);
    expect(await statusOf(server, waits)).toBe("idle");
  });

  it("SIGTERM leaves words and commands to the next server, gives leases back and is quick", async () => {
    const server = await serve(dialect, ({ prompts, results }) =>
      prompts.at(-1) === "talk"
        ? {
            reply: "message",
            text: "one two three",
            tokensPerSecond: 20,
            breaks: { afterTokens: 2, how: "hang" },
          }
        : results.length === 0
          ? {
              reply: "message",
              calls: [
                {
                  name: "shell",
                  args: { command: "echo began >> marker; until [ -e go ]; do sleep 0.05; done; echo went" },
                },
              ],
            }
          : { reply: "message", text: `It said ${results[0]}` },
    );
    const [talk, work] = [await server.send("talk"), await server.send("work")];
    await server.untilFact(talk, "draft");
    await until(async () => (await server.file("marker")) !== "");
    await server.kill("SIGTERM");
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    await server.touch("go");
    await server.start();
    const log = await server.untilFact(work, "turn_ended");
    expect(answerIn(log)).toMatch(/^It said went/);
    expect(facts(log).map(({ type }) => type)).not.toContain("executor_recovered"); // handed over, not lost
    const talked = await server.untilFact(talk, "step_started", 2);
    expect(talked.find(({ type }) => type === "step_aborted")?.data).toMatchObject({ reason: "shutdown" });
    expect(await server.file("marker")).toBe("began\n");
  });

  it("words beside what was allowed reach the model with its result, also when the answer was all that a server lived for", async () => {
    const server = await serve(
      dialect,
      ({ prompts }) =>
        prompts.length === 1
          ? {
              reply: "message",
              text: "",
              calls: [{ name: "shell", args: { command: "echo ran >> marker" } }],
            }
          : { reply: "message", text: `Heard: ${prompts.at(-1)}` },
      'approvals = "ask"\nsandbox = "none"',
    );
    const session = await server.send("go");
    const log = await server.untilFact(session, "ask_opened");
    const opened = log.findLast(({ type }) => type === "ask_opened")?.data as { ask: string } | undefined;
    await callApi(server, "POST", `/api/asks/${opened?.ask}/answer`, {
      choice: "once",
      text: "and delete it after",
    });
    await server.kill();
    await server.start();
    expect(answerIn(await server.untilFact(session, "turn_ended"))).toBe("Heard: and delete it after");
    expect(await server.file("marker")).toBe("ran\n");
  });
});

async function statusOf(server: AgentServer, session: string): Promise<string> {
  const shown = (await (await server.fetch(`/api/sessions/${session}`)).json()) as { status: string };
  return shown.status;
}

/** Eight at once. */
async function answer(server: AgentServer, ask: string): Promise<number[]> {
  const statuses = Array.from({ length: 8 }, async () => {
    const answered = await server.fetch(`/api/asks/${ask}/answer`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ choice: "once" }),
    });
    return answered.status;
  });
  return (await Promise.all(statuses)).toSorted((a, b) => a - b);
}

async function commandsRun(server: AgentServer): Promise<number> {
  return (await server.file("marker")).split("\n").length - 1;
}

/** Facts are gapless, epochs never go down, each call of a completed step has one result. */
function expectWhole(log: readonly AnyEvent[]): void {
  expect(facts(log).map(({ position }) => Number(position.slice(0, 16)))).toEqual(
    facts(log).map((_, n) => n + 1),
  );
  const epochs = log.flatMap(({ by }) => ("executor" in by ? [by.epoch] : []));
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  const finished = log.flatMap(({ type, data }) =>
    type === "tool_finished" ? [(data as { call: string }).call] : [],
  );
  expect(new Set(finished).size).toBe(finished.length);
}

function answerIn(log: readonly AnyEvent[]): string {
  const last = log.findLast(({ type }) => type === "step_completed")?.data as
    | { message: { type: string; text?: string }[] }
    | undefined;
  return last?.message.map(({ text }) => text ?? "").join("") ?? "";
}
