import { expect, test } from "vitest";
import { formatPosition } from "../session/position.ts";
import { ImportPlan } from "./import-plan.ts";

const at = "2026-01-02T03:04:05.678Z";
const by = { person: "ada" };

test("a file that opens more than a session can have is refused before it fills the memory", () => {
  const plan = new ImportPlan();
  plan.take({ position: formatPosition(1, 0), at, by, type: "session_created", data: { profile: "p" } });
  const text = "x".repeat(200_000);
  const send = (n: number) =>
    plan.take({
      position: formatPosition(n, 0),
      at,
      by,
      type: "input_admitted",
      data: { input: `inp_${n}`, kind: "prompt", text },
    });
  expect(() => {
    for (let n = 2; n <= 1_000; n++) send(n);
  }).toThrow("characters would be open at once");
});

test("a long file of which little is open is taken", () => {
  const plan = new ImportPlan();
  plan.take({ position: formatPosition(1, 0), at, by, type: "session_created", data: { profile: "p" } });
  const data = { level: "info", text: "x".repeat(200_000) };
  for (let n = 2; n <= 500; n++) plan.take({ position: formatPosition(n, 0), at, by, type: "notice", data });
  expect(plan.end({}, at, by).seq).toBe(500);
});
