import { expect, it } from "vitest";
import type { AnyEvent } from "../session/event.ts";
import { toolbox, type Toolbox } from "../tool/toolbox.ts";
import { types, useScene } from "./scene.ts";

const scene = useScene();

const turnsIn = (log: readonly AnyEvent[]) =>
  log.flatMap((event) => (event.type === "turn_started" ? [(event.data as { turn: string }).turn] : []));

/** As of a server that takes its time. */
function lateBox(): Toolbox & { waiting: Promise<void>; come(): void } {
  const arrived = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let isThere = false;
  return {
    ...toolbox(new Map()),
    waiting: begun.promise,
    isSettled: () => isThere,
    settle(signal) {
      begun.resolve();
      signal.addEventListener("abort", () => arrived.resolve(), { once: true });
      return arrived.promise;
    },
    come() {
      isThere = true;
      arrived.resolve();
    },
  };
}

it("a turn waits for tools that are on their way, before the model is called", async () => {
  const box = lateBox();
  await scene.run(() => "Done.", { toolbox: box });
  const session = await scene.send("go");
  await box.waiting;
  expect(types(await scene.untilFact(session, "turn_started"))).not.toContain("step_started");
  box.come();
  expect(types(await scene.untilFact(session, "turn_ended"))).toContain("step_completed");
});

it("a turn that waits for tools can be stopped", async () => {
  const box = lateBox();
  await scene.run(() => "Done.", { toolbox: box });
  const session = await scene.send("go");
  await box.waiting;
  const [turn = ""] = turnsIn(await scene.untilFact(session, "turn_started"));
  await scene.append(session, { type: "stop_requested", data: { turn } });
  const ended = (await scene.untilFact(session, "turn_ended")).find(({ type }) => type === "turn_ended");
  expect(ended?.data).toMatchObject({ outcome: "stopped" });
});
