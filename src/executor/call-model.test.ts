import { expect, it } from "vitest";
import type { Store } from "../store/store.ts";
import { results, types, useScene } from "./scene.ts";

const scene = useScene();

it("what a person says just before an answer is written keeps its turn going", async () => {
  let isSaid = false;
  const store: Store = {
    ...scene.store,
    append: async (log, events, ...rest) => {
      if (!isSaid && events.some(({ type }) => type === "turn_ended")) {
        isSaid = true;
        const steer = { input: "inp_steer", kind: "steer", text: "and this" } as const;
        await scene.append(log, { type: "input_admitted", data: steer });
      }
      return scene.store.append(log, events, ...rest);
    },
  };
  await scene.run(() => "Here I am.", {}, { store });
  const session = await scene.send("go");
  const facts = types(await scene.untilFact(session, "turn_ended"));
  expect(facts.filter((type) => type === "step_completed")).toHaveLength(2);
});

it.each(["length", "filter", "other"] as const)("why an answer ended early is kept: %s", async (finish) => {
  await scene.run(() => ({ calls: [], text: "I was just", finish }));
  const log = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(log.find(({ type }) => type === "step_completed")?.data).toMatchObject({ finish });
});

it("an answer that is whole says nothing of its end", async () => {
  await scene.run(() => "All of it.");
  const log = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(log.find(({ type }) => type === "step_completed")?.data).not.toHaveProperty("finish");
});

it("a call that was cut at the length limit is not run, and the model is told why", async () => {
  await scene.run(({ context }) =>
    context.length === 1
      ? {
          calls: [
            { call: "write", args: { path: "whole", text: "w" } },
            { call: "write", args: { broken_json: '{"path": "half' } },
          ],
          finish: "length",
        }
      : "In smaller parts, then.",
  );
  const log = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(results(log)).toMatchObject([
    { status: "error", result: expect.stringMatching(/length limit.*nothing was done.*half/s) },
    { status: "ok" },
  ]);
});
