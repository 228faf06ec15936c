import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { leftBy } from "../process/left.ts";
import { adopt } from "../process/state.ts";
import { stopProcess } from "../process/stop.ts";
import type { AnyEvent } from "../session/event.ts";
import type { Commands } from "./commands.ts";
import { processName } from "./derived-ids.ts";
import { results, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();

function processIn(log: readonly AnyEvent[]): string {
  const started = log.find(({ type }) => type === "process_started");
  return (started?.data as { process: string } | undefined)?.process ?? "";
}

it("a command's time counts from its start, whoever attends to it", async () => {
  const script: Script = ({ context }) =>
    context.length === 1
      ? { call: "shell", args: { command: "sleep 600", timeoutSeconds: 3600 } }
      : "It took too long.";
  await scene.run(script);
  const session = await scene.send("wait an hour at most");
  await scene.untilFact(session, "tool_started");
  await scene.stop(); // it goes on by itself
  scene.advance(3_601_000);
  await scene.run(script);
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([{ status: "error", result: expect.stringContaining("timed_out") }]);
});

it("a command that took too long is told so, though it ends well when it is asked to", async () => {
  const command = "trap 'echo bye; exit 0' TERM; echo up; sleep 600 & wait";
  await scene.run(({ context }) =>
    context.length === 1 ? { call: "shell", args: { command, timeoutSeconds: 1 } } : "It took too long.",
  );
  const log = await scene.untilFact(await scene.send("serve"), "turn_ended");
  expect(results(log)).toMatchObject([
    { status: "error", exit: 0, result: expect.stringContaining("bye\n\n[exit 0: timed_out]") },
  ]);
});

it("what a background command says beyond its file's bound is let go; a foreground one is ended there", async () => {
  await scene.run(({ context }) =>
    context.length === 1
      ? {
          calls: [true, false].map((background) => ({
            call: "shell",
            args: { command: "echo on", background },
          })),
        }
      : "Both began.",
  );
  const log = await scene.untilFact(await scene.send("serve"), "turn_ended");
  const specs = await Promise.all(
    log
      .filter(({ type }) => type === "process_started")
      .map(async (event) => {
        const file = join(scene.workspace, "..", "processes", processIn([event]), "spec.json");
        const { background } = event.data as { background: boolean };
        return [background, (JSON.parse(await readFile(file, "utf8")) as { whenFull: string }).whenFull];
      }),
  );
  expect(new Map(specs as [boolean, string][])).toEqual(
    new Map([
      [true, "discard"],
      [false, "end"],
    ]),
  );
});

it("a command that could not be started is over, and its call has the reason, whatever else was written meanwhile", async () => {
  const start = async ({ session }: { session: string }) => {
    await scene.append(session, { type: "notice", data: { level: "info", text: "something else" } });
    return { ok: false as const, reason: "no room for it" };
  };
  const commands = { start } as unknown as Commands; // no other verb is used
  await scene.run(callOnce, {}, { commands });
  const session = await scene.send("go");
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([
    { status: "error", result: expect.stringContaining("no room for it") },
  ]);
  expect(endsIn(log)).toEqual([{ process: processIn(log), exit: null, cause: "no room for it" }]);
});

it("a command that could not be started is told to be over once, also when whoever watches processes was first", async () => {
  const start = async ({ session, process }: { session: string; process: string }) => {
    const exited = { process, exit: null, cause: "unstarted" };
    await scene.append(session, { type: "process_exited", data: exited });
    return { ok: false as const, reason: "no room for it" };
  };
  await scene.run(callOnce, {}, { commands: { start } as unknown as Commands }); // nor any of these
  const log = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(endsIn(log)).toMatchObject([{ cause: "unstarted" }]);
  expect(results(log)).toMatchObject([{ status: "error" }]);
});

it("a command that leaves something running has its exit code at once and names it; the process is over when that is", async () => {
  const watched = Promise.withResolvers<void>();
  await scene.run(leaveSleeping, {}, { leftRunning: () => watched.resolve() });
  const log = await scene.untilFact(await scene.send("go"), "turn_ended");
  await watched.promise;
  const process = processIn(log);
  expect(results(log)).toMatchObject([
    {
      status: "ok",
      exit: 0,
      result: expect.stringMatching(
        new RegExp(`^started\\n.*it left running: sleep 313 \\(pid \\d+\\);.*as ${process}\\]$`, "s"),
      ),
    },
  ]);
  expect(endsIn(log)).toEqual([]);
  expect(await scene.store.process(process)).toMatchObject({ status: "running" });
  await stopProcess(dirOf(process), { reason: "stopped" });
});

it("whoever goes on after a crash finds what a command has left, and ends the call with its exit code", async () => {
  await scene.run(leaveSleeping);
  const session = await scene.send("go");
  const process = processIn(await scene.untilFact(session, "process_started"));
  await scene.stop();
  const dir = dirOf(process);
  await vi.waitFor(async () => expect(await adopt(dir)).toMatchObject({ state: "exited" }), 10_000);
  expect(await leftBy(dir)).toHaveLength(1); // as far as the one that died had come, and no facts
  await scene.run(leaveSleeping);
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([{ exit: 0, result: expect.stringContaining("it left running") }]);
  expect(endsIn(log)).toEqual([]);
  await stopProcess(dir, { reason: "stopped" });
});

it.each([
  ["tells so", false],
  ["tells so no second time, when whoever watches processes has", true],
])("who finds that a command never began %s, and runs it under the next name", async (_, isTold) => {
  const { session, process } = await leftUnstarted();
  if (isTold)
    await scene.append(session, {
      type: "process_exited",
      data: { process, exit: null, cause: "unstarted" },
    });
  await scene.run(callOnce);
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([{ status: "ok", result: "run\n" }]);
  expect(endsIn(log)).toMatchObject([
    { process, exit: null, cause: "unstarted" },
    { process: process.replace(/1$/, "2"), exit: 0 },
  ]);
});

it("a command that was allowed for its sandbox, and never began, is asked about where there is none", async () => {
  const { session, process } = await leftUnstarted();
  await scene.run(callOnce, { policy: { approvals: "ask", config: [] } });
  await scene.untilFact(session, "ask_opened");
  const { asks, processes } = (await scene.store.view(session))!;
  expect(processes).toEqual([]);
  const { ask } = asks[0]!;
  await scene.append(session, {
    type: "ask_answered",
    data: { ask, kind: "approval", answer: { choice: "once" } },
  });
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([{ status: "ok", result: "run\n" }]);
  expect(endsIn(log)).toMatchObject([
    { process, exit: null, cause: "unstarted" },
    { process: process.replace(/1$/, "2"), exit: 0 },
  ]);
});

const leaveSleeping: Script = ({ context }) =>
  context.length === 1 ? { call: "shell", args: { command: "sleep 313 & echo started" } } : "Done.";

function dirOf(process: string): string {
  return join(scene.workspace, "..", "processes", process);
}

const callOnce: Script = ({ context }) =>
  context.length === 1 ? { call: "shell", args: { command: "echo run" } } : "Done.";

function endsIn(log: readonly AnyEvent[]): unknown[] {
  return log.flatMap(({ type, data }) => (type === "process_exited" ? [data] : []));
}

/** A session whose executor died after it had said that a command begins, and before it did. */
async function leftUnstarted(): Promise<{ session: string; process: string }> {
  const session = await scene.send("go");
  const { input, position: from } = (await scene.store.view(session))!.queue[0]!;
  const [call, args] = ["s5-0", { command: "echo run" }];
  const process = processName(scene.store.id, session, call, 1);
  await scene.append(
    session,
    { type: "turn_started", data: { turn: "t3", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t3", from } },
    { type: "step_started", data: { turn: "t3", step: "s5", attempt: 1, model: "m" } },
    {
      type: "step_completed",
      data: { step: "s5", attempt: 1, message: [{ type: "call", call, name: "shell", args }] },
    },
    { type: "tool_proposed", data: { step: "s5", call, name: "shell", args, effect: "unsafe" } },
    {
      type: "process_started",
      data: { process, command: "echo run", cwd: scene.workspace, call, background: false },
    },
    { type: "tool_started", data: { call, process } },
  );
  return { session, process };
}
