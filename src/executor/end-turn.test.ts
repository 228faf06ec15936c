import { expect, it } from "vitest";
import type { AnyEvent, NewFact } from "../session/event.ts";
import { failFacts, nextStep, stopFacts } from "../session/next-step.ts";
import { START } from "../session/position.ts";
import type { Commands, CommandState } from "./commands.ts";
import type { Delegates } from "./delegates.ts";
import { endTurn, type Work } from "./end-turn.ts";
import { HeldSession } from "./held-session.ts";
import { results, types, useScene } from "./scene.ts";

const scene = useScene();

it("a command that can't be ended does not hold its turn: it stays in the list, and a notice says so", async () => {
  const { session, facts } = await stopped();
  await endTurn(work({ stop: () => Promise.reject(new Error("pid 7 is still there")) }), session, facts);

  expect(session.view).toMatchObject({ turn: null, processes: [{ process: "prc_1" }] });
  expect(session.view.messages).toContainEqual(
    expect.objectContaining({ kind: "notice", level: "error", text: expect.stringContaining("pid 7") }),
  );
});

it("what comes while its command is being ended is in what the end is decided on", async () => {
  const { session, facts } = await stopped();
  const stop = async () => void (await scene.send("and then this", session.id));
  await endTurn(work({ stop }), session, facts);
  expect(session.view).toMatchObject({ turn: { id: "t1" }, queue: [{}, { text: "and then this" }] });
  expect(nextStep(session.view, "m", new Date().toISOString()).do).toBe("stop");
});

it("a command that ended well when it was stopped is told to be stopped, though the end had to be decided anew", async () => {
  const { session, facts } = await stopped();
  let isOver = false;
  const again = work({
    find: () => ended(isOver ? { state: "exited", exit: 0, cause: "stopped" } : { state: "running" }),
    async stop() {
      if (!isOver) await scene.send("and then this", session.id);
      isOver = true;
    },
  });
  await endTurn(again, session, facts);
  await endTurn(again, session, stopFacts(session.view, "t1"));
  const events = await scene.store.events(session.id, START, 100, "facts");
  expect(results(events)).toMatchObject([
    { status: "stopped", result: "all that it said\n[stopped by a person]", exit: 0 },
  ]);
  expect(dataOf(events, "process_stopped")).toMatchObject({ exit: 0 });
});

it("a command that a person stops keeps what it said and how it ended", async () => {
  await scene.run(() => ({ call: "shell", args: { command: "echo one; echo two; sleep 600" } }));
  const session = await scene.send("go");
  await expect
    .poll(async () => JSON.stringify((await scene.store.view(session))?.messages))
    .toContain("one\\ntwo");
  const { turn } = (await scene.store.view(session))!;
  await scene.append(session, { type: "stop_requested", data: { turn: turn!.id } });
  const events = await scene.untilFact(session, "turn_ended");
  expect(results(events)).toMatchObject([
    { status: "stopped", result: "one\ntwo\n\n[stopped by a person]", exit: 143 },
  ]);
  expect(dataOf(events, "process_stopped")).toMatchObject({ exit: 143 });
});

it("a turn that can't go on tells of a command that had come to its end what its own trace says", async () => {
  const { session } = await stopped();
  const facts = failFacts(session.view, "t1", "crash_loop", "Whoever worked on it died.");
  await endTurn(work({ find: () => ended({ state: "exited", exit: 0, cause: "exit" }) }), session, facts);
  const events = await scene.store.events(session.id, START, 100, "facts");
  expect(results(events)).toMatchObject([{ status: "ok", result: "all that it said", exit: 0 }]);
  expect(dataOf(events, "process_exited")).toEqual({ process: "prc_1", exit: 0, cause: "exit" });
  expect(types(events)).not.toContain("process_stopped");
});

it("a turn that can't go on says of a command that never began that it never did, and of a lost one to verify", async () => {
  const told: unknown[] = [];
  for (const state of ["unstarted", "lost"] as const) {
    const { session } = await stopped();
    const facts = failFacts(session.view, "t1", "crash_loop", "Whoever worked on it died.");
    await endTurn(work({ find: () => ended({ state }) }), session, facts);
    const events = await scene.store.events(session.id, START, 100, "facts");
    told.push(
      ...results(events),
      types(events).find((type) => /^process_[el]/.test(type)),
    );
  }
  expect(told).toMatchObject([
    { status: "error", result: "It was never started." },
    "process_exited",
    { status: "unknown", result: expect.stringContaining("verify") },
    "process_lost",
  ]);
});

it("a turn that can't go on ends a command that still runs, and says so with what it had said", async () => {
  const { session } = await stopped();
  const facts = failFacts(session.view, "t1", "crash_loop", "Whoever worked on it died.");
  await endTurn(work({}), session, facts);
  const events = await scene.store.events(session.id, START, 100, "facts");
  expect(results(events)).toMatchObject([
    { status: "stopped", result: expect.stringMatching(/^all that it said\n\[ended with its turn/) },
  ]);
});

/** A command that runs until it is ended, unless something else is said of it. */
function work(commands: Partial<Commands>): Work {
  let isOver = false;
  return {
    commands: {
      find: () => ended(isOver ? { state: "exited", exit: 143, cause: "stopped" } : { state: "running" }),
      stop: async () => void (isOver = true),
      result: () => Promise.resolve("all that it said"),
      ...commands,
    } as Commands, // no other verb is used
    delegates: {} as Delegates, // nor any of these
    longText: (text) => Promise.resolve(text),
  };
}

function ended(state: CommandState): Promise<CommandState> {
  return Promise.resolve(state);
}

function dataOf(events: readonly AnyEvent[], type: string): unknown {
  return events.find((event) => event.type === type)?.data;
}

/** A turn that a person stopped while its command runs, and the facts that would end it. */
async function stopped(): Promise<{ session: HeldSession; facts: NewFact[] }> {
  const id = await scene.send("go");
  const claimed = await scene.store.claimLease(id, 15_000);
  if (!claimed.ok) throw new Error(claimed.code);
  const call = { type: "call" as const, call: "s1-0", name: "shell", args: { command: "sleep 600" } };
  const process = { process: "prc_1", command: "sleep 600", cwd: "/", call: "s1-0", background: false };
  await scene.append(
    id,
    { type: "turn_started", data: { turn: "t1", inputs: [] } },
    { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [call] } },
    { type: "process_started", data: process },
    { type: "tool_started", data: { call: "s1-0", process: "prc_1" } },
    { type: "stop_requested", data: { turn: "t1" } },
  );
  const session = await HeldSession.open(scene.store, claimed.lease);
  const next = nextStep(session.view, "m", new Date().toISOString());
  if (next.do !== "stop") throw new Error(`it should stop, not ${next.do}`);
  return { session, facts: next.facts };
}
