import { expect, it } from "vitest";
import { StorageError, type Store } from "../store/store.ts";
import { types, useScene } from "./scene.ts";

const scene = useScene();
const FAILURES = 6; // twice what a step that kills its executors is allowed

it("a storage that fails again and again is no crash: the turn goes on when it is back", async () => {
  let failures = 0;
  const flapping = (store: Store): Store => ({
    ...store,
    append: async (log, events, writer, options) => {
      if (events[0]?.type === "step_completed" && failures < FAILURES) {
        failures += 1;
        scene.advance(20_000); // its lease runs out meanwhile
        throw new StorageError("busy", "the database is away");
      }
      return store.append(log, events, writer, options);
    },
  });
  const log = { info: () => {}, error: () => {} };
  await scene.run(() => "At last.", {}, { store: flapping(scene.store), log });
  const events = await scene.untilFact(await scene.send("go"), "turn_ended");
  expect(failures).toBe(FAILURES);
  expect(events.at(-1)?.data).toMatchObject({ outcome: "completed" });
  expect(types(events).filter((type) => type === "executor_recovered")).toHaveLength(FAILURES);
});
