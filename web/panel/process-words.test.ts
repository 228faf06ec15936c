import { expect, test } from "vitest";
import type { Process } from "../../src/client/commands.ts";
import { measures, standing } from "./process-words.ts";

const process = (more: Partial<Process>): Process =>
  ({
    status: "running",
    class: null,
    exit: null,
    cause: null,
    ports: [],
    cpu: null,
    memory: null,
    startedAt: "2026-01-01T10:00:00.000Z",
    endedAt: null,
    ...more,
  }) as Process;

test.each([
  [process({}), "running", "good"],
  [process({ class: "stale" }), "stale", "stale"],
  [process({ status: "exited", exit: 0 }), "exit 0", ""],
  [process({ status: "exited", exit: 3 }), "exit 3", "bad"],
  [process({ status: "exited", exit: null, cause: "timeout" }), "timeout", "bad"],
  [process({ status: "stopped", exit: 143 }), "stopped, exit 143", ""],
  [process({ status: "lost" }), "lost", "bad"],
] as const)("a process says how it is doing or how it ended", (given, word, tone) => {
  expect(standing(given)).toEqual({ word, tone });
});

test("what was not measured is not made up", () => {
  const now = Date.parse("2026-01-01T10:01:05.000Z");
  expect(measures(process({}), now)).toEqual(["1 m 05 s"]);
  expect(measures(process({ ports: [5173], cpu: 0.614, memory: 3 * 1024 * 1024 }), now)).toEqual([
    "1 m 05 s",
    ":5173",
    "61 % cpu",
    "3.0 MB",
  ]);
  const ended = process({ status: "exited", exit: 0, endedAt: "2026-01-01T10:00:07.000Z" });
  expect(measures(ended, now)).toEqual(["ran 7.0 s"]);
});
