import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AnyEvent } from "../session/event.ts";
import { results, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();

function processIn(log: readonly AnyEvent[]): string {
  const started = log.find(({ type }) => type === "process_started");
  return (started?.data as { process: string } | undefined)?.process ?? "";
}

it("a command's time counts from its start, whoever attends to it", async () => {
  const script: Script = ({ context }) =>
    context.length === 1
      ? { call: "shell", args: { command: "sleep 600", timeoutSeconds: 3600 } }
      : "It took too long.";
  await scene.run(script);
  const session = await scene.send("wait an hour at most");
  await scene.untilFact(session, "tool_started");
  await scene.stop(); // it goes on by itself
  scene.advance(3_601_000);
  await scene.run(script);
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)).toMatchObject([{ status: "error", result: expect.stringContaining("timed_out") }]);
});

it("what a background command says beyond its file's bound is let go; a foreground one is ended there", async () => {
  await scene.run(({ context }) =>
    context.length === 1
      ? {
          calls: [true, false].map((background) => ({
            call: "shell",
            args: { command: "echo on", background },
          })),
        }
      : "Both began.",
  );
  const log = await scene.untilFact(await scene.send("serve"), "turn_ended");
  const specs = await Promise.all(
    log
      .filter(({ type }) => type === "process_started")
      .map(async (event) => {
        const file = join(scene.workspace, "..", "processes", processIn([event]), "spec.json");
        const { background } = event.data as { background: boolean };
        return [background, (JSON.parse(await readFile(file, "utf8")) as { whenFull: string }).whenFull];
      }),
  );
  expect(new Map(specs as [boolean, string][])).toEqual(
    new Map([
      [true, "discard"],
      [false, "end"],
    ]),
  );
});
