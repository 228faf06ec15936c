import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { draftName } from "../tool/inside.ts";
import { results, useScene } from "./scene.ts";

const scene = useScene();

it("what an edit left that was killed and then stopped is taken away with its turn's end", async () => {
  const session = await scene.send("edit it");
  const call = "s1-0";
  const args = { path: "f", old: "one", new: "1" };
  await writeFile(join(scene.workspace, "f"), "one");
  await writeFile(join(scene.workspace, draftName({ session, call })), "half of");
  await writeFile(join(scene.workspace, draftName({ session, call: "another" })), "another's");
  await scene.append(
    session,
    { type: "turn_started", data: { turn: "t1", inputs: [] } },
    { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
    {
      type: "step_completed",
      data: { step: "s1", attempt: 1, message: [{ type: "call", call, name: "edit", args }] },
    },
    { type: "tool_proposed", data: { step: "s1", call, name: "edit", args, effect: "idempotent" } },
    { type: "tool_started", data: { call, trace: { before: "", after: "" } } },
    { type: "stop_requested", data: { turn: "t1" } },
  );
  await scene.run(() => "never");
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([{ call, status: "stopped" }]);
  expect((await readdir(scene.workspace)).toSorted()).toEqual([draftName({ session, call: "another" }), "f"]);
});
