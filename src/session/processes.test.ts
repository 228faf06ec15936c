import { expect, it } from "vitest";
import type { NewEvent } from "./event.ts";
import { processChanges, thenProcesses } from "./processes.ts";

const started: NewEvent = {
  type: "process_started",
  data: { process: "prc_1", command: "make", cwd: "/w", background: true },
};
const exited = (exit: number, cause: string): NewEvent => ({
  type: "process_exited",
  data: { process: "prc_1", exit, cause },
});

it("tells of a process that began and of one that ended, and how", () => {
  expect(processChanges([started], "now")).toEqual([
    { process: "prc_1", started: { command: "make", cwd: "/w", background: true, startedAt: "now" } },
  ]);
  expect(processChanges([exited(2, "exit")], "now")).toEqual([
    { process: "prc_1", ended: { status: "exited", exit: 2, cause: "exit", endedAt: "now" } },
  ]);
  expect(processChanges([exited(143, "stopped")], "now")).toMatchObject([{ ended: { status: "stopped" } }]);
  const lost: NewEvent = { type: "process_lost", data: { process: "prc_1" } };
  expect(processChanges([lost], "now")).toMatchObject([{ ended: { status: "lost", exit: null } }]);
});

it("makes one change of a process that begins and ends at once, and the first end counts", () => {
  const whole = processChanges([started, exited(0, "exit"), exited(1, "exit")], "now");
  expect(whole).toMatchObject([{ started: { command: "make" }, ended: { exit: 0 } }]);
  const apart = thenProcesses(processChanges([started], "now"), processChanges([exited(0, "exit")], "now"));
  expect(apart).toEqual(whole);
});
