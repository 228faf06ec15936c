// What runs when its executor has to let go: it ends here, and whoever comes next finds it as it was left.
import { expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import { wallClock } from "./clock.ts";
import { types, useScene } from "./scene.ts";

const scene = useScene();

it("a model whose executor hears that its lease is lost speaks no further", async () => {
  const session = await scene.send("go");
  const store = {
    ...scene.store,
    renewLease: async () => ({ ok: false as const, code: "lease_lost" as const }),
  };
  const clock = { now: wallClock.now, after: (_: number, run: () => void) => wallClock.after(1, run) };
  await scene.run(() => ({ hangs: "I was just about to" }), {}, { store, clock });
  const facts = await scene.untilFact(session, "step_aborted");
  expect(facts).toContainEqual(
    expect.objectContaining({ type: "step_aborted", data: expect.objectContaining({ reason: "shutdown" }) }),
  );
});

it("a model that a shutdown breaks off is answered anew, and not told that a person stopped it", async () => {
  await scene.run(() => ({ hangs: "I was just about to" }));
  const session = await scene.send("go");
  await scene.untilFact(session, "draft");
  await scene.stop();
  const facts = await scene.untilFact(session, "step_aborted");
  expect(facts.find(({ type }) => type === "step_aborted")?.data).toEqual({
    step: expect.any(String),
    attempt: 1,
    reason: "shutdown",
  });
});

it("a tool that a shutdown breaks off has no result, and runs again", async () => {
  let runs = 0;
  const slow: Tool = {
    name: "slow",
    description: "",
    args: z.object({}),
    effect: "read",
    kind: "plain",
    about: () => ({ title: "slow", subject: "slow", cwd: "/", harmless: true }),
    run: async (_, { signal }) => {
      runs += 1;
      if (runs > 1) return { status: "ok", result: "done" };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return { status: "error", result: "broken off" };
    },
  };
  const tools = new Map([["slow", slow]]);
  const script = ({ context }: { context: readonly unknown[] }) =>
    context.length > 1 ? "Done." : { call: "slow", args: {} };
  await scene.run(script, { toolbox: toolbox(tools) });
  const session = await scene.send("go");
  await expect.poll(() => runs).toBe(1);
  await scene.stop();
  expect(types(await scene.untilFact(session, "tool_started"))).not.toContain("tool_finished");
  await scene.run(script, { toolbox: toolbox(tools) });
  const facts = await scene.untilFact(session, "turn_ended");
  expect(facts.filter(({ type }) => type === "tool_finished")).toMatchObject([{ data: { status: "ok" } }]);
  expect(runs).toBe(2);
});
