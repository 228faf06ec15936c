// A person was asked by an agent that has fewer tools by the time of the answer.
import { expect, it } from "vitest";
import type { AnyEvent, FactData } from "../session/event.ts";
import { read } from "../tool/read.ts";
import { shell } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import { results, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();
const only = (...tools: unknown[]) => ({
  toolbox: toolbox(new Map((tools as Tool[]).map((tool) => [tool.name, tool]))),
});
const question = { call: "ask", args: { question: "Which?", choices: ["the red one", "the blue one"] } };

function askedIn(events: readonly AnyEvent[]): FactData<"ask_opened">[] {
  return events.flatMap(({ type, data }) => (type === "ask_opened" ? [data as FactData<"ask_opened">] : []));
}

it("the answer to a question is told, though the agent may ask nothing more by then", async () => {
  const script: Script = ({ context }) => (context.length === 1 ? question : "Done.");
  await scene.run(script);
  const session = await scene.send("go");
  const [asked] = askedIn(await scene.untilFact(session, "ask_opened"));
  await scene.run(script, only(read));
  const answer = { values: ["2"], text: "if there is one" };
  await scene.append(session, { type: "ask_answered", data: { ask: asked!.ask, kind: "clarify", answer } });
  expect(results(await scene.untilFact(session, "turn_ended"))).toMatchObject([
    { status: "ok", result: "the blue one: if there is one" },
  ]);
});

it("a question that waits does not lose its call when others go on without its tool", async () => {
  const calls = [question, { call: "shell", args: { command: "echo a" } }];
  const script: Script = ({ context }) => (context.length === 1 ? { calls } : "Done.");
  const asks = { policy: { approvals: "ask", config: [] } } as const;
  await scene.run(script, asks);
  const session = await scene.send("go");
  const [first, second] = askedIn(await scene.untilFact(session, "ask_opened", 2));
  await scene.run(script, { ...asks, ...only(shell) });
  await scene.append(session, {
    type: "ask_answered",
    data: { ask: second!.ask, kind: "approval", answer: { choice: "once" } },
  });
  expect(results(await scene.untilFact(session, "tool_finished"))).toMatchObject([{ result: "a\n" }]);
  const answer = { text: "Neither." };
  await scene.append(session, { type: "ask_answered", data: { ask: first!.ask, kind: "clarify", answer } });
  expect(results(await scene.untilFact(session, "turn_ended"))[1]).toMatchObject({
    status: "ok",
    result: "Neither.",
  });
});
