import { expect, it } from "vitest";
import { wallClock } from "../executor/clock.ts";
import { results, useScene } from "../executor/scene.ts";
import { tellGone } from "./tell-gone.ts";
import { Timers } from "./timers.ts";

const scene = useScene();

it("a session that waits for one that was deleted is told, and goes on", async () => {
  await scene.run(({ context }) => {
    const last = context.at(-1);
    if (last?.role !== "person") return "So be it.";
    return last.text === "think" ? { hangs: "Well" } : { call: "delegate", args: { prompt: "think" } };
  });
  const { store } = scene;
  const log = { error: (detail: object, message: string) => console.error(message, detail) };
  const keepers = [1, 2].map(
    () => new Timers({ store, clock: wallClock, pollMs: 10, act: (timer) => tellGone(store, timer), log }),
  );
  for (const keeper of keepers) keeper.start();
  const parent = await scene.send("go");
  const delegated = (await scene.untilFact(parent, "delegated")).at(-1)?.data as { session: string };
  await scene.untilFact(delegated.session, "draft");
  expect(await store.deleteSession(delegated.session, { force: true })).toEqual({ ok: true });
  const events = await scene.untilFact(parent, "turn_ended");
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  expect(results(events)).toMatchObject([{ status: "stopped", result: expect.stringContaining("deleted") }]);
  expect(events.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(await store.dueTimers(10)).toEqual([]);
});
