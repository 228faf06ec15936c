// A model does not know of itself that its answer was not whole.
import { expect, it } from "vitest";
import type { ContextMessage } from "../driver/driver.ts";
import { useScene } from "./scene.ts";

const scene = useScene();
const CUT = "[Holdfast] The answer above stopped at its length limit.";

const words = (message: ContextMessage): string =>
  message.role === "person" ? message.text : message.role === "tool" ? `result: ${message.result}` : "answer";

it("an answer that stopped at its length limit is followed by that, so that going on goes on from there", async () => {
  const driver = await scene.run(({ context }) =>
    context.length === 1 ? { calls: [], text: "One, two, th", finish: "length" } : "ree.",
  );
  const session = await scene.send("count");
  await scene.untilFact(session, "turn_ended");
  await scene.send("go on", session);
  await scene.untilFact(session, "turn_ended", 2);
  expect(driver.requests.at(-1)?.context.map(words)).toEqual(["count", "answer", CUT, "go on"]);
});

it("one with calls is followed by it after all of their results", async () => {
  const driver = await scene.run(({ context }) => {
    const calls = ["one", "two"].map((text) => ({ call: "shell", args: { command: `echo ${text}` } }));
    return context.length === 1 ? { calls, finish: "length" } : "Done.";
  });
  await scene.untilFact(await scene.send("go"), "turn_ended");
  const told = driver.requests.at(-1)?.context.map(words) ?? [];
  expect(told.toSpliced(2, 2)).toEqual(["go", "answer", CUT]); // whichever of the two ended first
  expect(told.slice(2, 4).toSorted()).toEqual(["result: one\n", "result: two\n"]);
});

it("one that ended by itself is followed by nothing", async () => {
  const driver = await scene.run(() => "Done.");
  const session = await scene.send("go");
  await scene.untilFact(session, "turn_ended");
  await scene.send("more", session);
  await scene.untilFact(session, "turn_ended", 2);
  expect(driver.requests.at(-1)?.context.map(words)).toEqual(["go", "answer", "more"]);
});
