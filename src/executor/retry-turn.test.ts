// A turn that failed and is tried again: what was done stays done, and the model knows of it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { failedTurn, retryFact } from "../session/retry.ts";
import { results, types, useScene } from "./scene.ts";
import type { Line } from "./scripted-driver.ts";

const scene = useScene();

const REFUSED: Line = { fault: { class: "auth", message: "the key was refused" } };
const EFFECT: Line = { call: "shell", args: { command: "echo x >> effects" } };

it("a failed turn that is tried again goes on behind its last completed step, and does nothing twice", async () => {
  let isRefused = true;
  const driver = await scene.run(({ context }) => {
    if (context.length === 1) return EFFECT;
    return isRefused ? REFUSED : "Both are done.";
  });
  const session = await scene.send("do it");
  await scene.untilFact(session, "turn_ended");
  await retry(session);
  await scene.untilFact(session, "turn_ended", 2); // it may fail again, and be tried again
  isRefused = false;
  await retry(session);
  const log = await scene.untilFact(session, "turn_ended", 3);
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(driver.requests.at(-1)?.context).toMatchObject([
    { role: "person", text: "do it" },
    { role: "agent", pieces: [{ type: "call", name: "shell" }] },
    { role: "tool", name: "shell", status: "ok" },
  ]);
  expect(await readFile(join(scene.workspace, "effects"), "utf8")).toBe("x\n");
  expect(results(log)).toHaveLength(1);
  expect(types(log).filter((type) => type === "input_delivered")).toHaveLength(1);
});

it("a failed turn without a completed step is tried again with what began it", async () => {
  let isRefused = true;
  const driver = await scene.run(() => (isRefused ? REFUSED : "Here I am."));
  const session = await scene.send("hello");
  await scene.untilFact(session, "turn_ended");
  isRefused = false;
  await retry(session);
  await scene.untilFact(session, "turn_ended", 2);
  const [first, second] = driver.requests;
  expect(second?.context).toEqual(first?.context);
});

it("an answer that broke off is known to the model when its turn is tried again", async () => {
  let isRefused = true;
  const driver = await scene.run(() => (isRefused ? { ...REFUSED, after: "I was just" } : "Here I am."));
  const session = await scene.send("hello");
  await scene.untilFact(session, "turn_ended");
  isRefused = false;
  await retry(session);
  await scene.untilFact(session, "turn_ended", 2);
  expect(driver.requests.at(-1)?.context).toMatchObject([
    { role: "person", text: "hello" },
    { role: "agent", pieces: [{ text: "I was just" }] },
    { role: "person", text: expect.stringContaining("broke off here: the key was refused") },
  ]);
});

it("a turn that is tried again after a crash of its executor is taken up like any other", async () => {
  await scene.run(() => REFUSED);
  const session = await scene.send("hello");
  await scene.untilFact(session, "turn_ended");
  await scene.stop();
  await retry(session);
  await scene.run(() => "Here I am.");
  const log = await scene.untilFact(session, "turn_ended", 2);
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
});

/** As POST …/retry does it. */
async function retry(session: string): Promise<void> {
  const view = (await scene.store.view(session))!;
  await scene.append(session, retryFact(view, failedTurn(view)!));
}
