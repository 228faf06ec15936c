import { expect, it } from "vitest";
import type { Store } from "../store/store.ts";
import { types, useScene } from "./scene.ts";

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
