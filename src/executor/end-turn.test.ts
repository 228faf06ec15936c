import { expect, it } from "vitest";
import type { NewFact } from "../session/event.ts";
import { nextStep } from "../session/next-step.ts";
import type { Commands } from "./commands.ts";
import type { Delegates } from "./delegates.ts";
import { endTurn } from "./end-turn.ts";
import { HeldSession } from "./held-session.ts";
import { useScene } from "./scene.ts";

const scene = useScene();

it("a command that can't be ended does not hold its turn: it stays in the list, and a notice says so", async () => {
  const { session, facts } = await stopped();
  const commands = { stop: () => Promise.reject(new Error("pid 7 is still there")) } as unknown as Commands; // no other verb is used
  await endTurn({ commands, delegates: {} as Delegates }, session, facts); // nor any of these

  expect(session.view).toMatchObject({ turn: null, processes: [{ process: "prc_1" }] });
  expect(session.view.messages).toContainEqual(
    expect.objectContaining({ kind: "notice", level: "error", text: expect.stringContaining("pid 7") }),
  );
});

it("what comes while its command is being ended is in what the end is decided on", async () => {
  const { session, facts } = await stopped();
  const stop = async () => void (await scene.send("and then this", session.id));
  await endTurn({ commands: { stop } as unknown as Commands, delegates: {} as Delegates }, session, facts);
  expect(session.view).toMatchObject({ turn: { id: "t1" }, queue: [{}, { text: "and then this" }] });
  expect(nextStep(session.view, "m", new Date().toISOString()).do).toBe("stop");
});

/** A turn that a person stopped while its command runs, and the facts that would end it. */
async function stopped(): Promise<{ session: HeldSession; facts: NewFact[] }> {
  const id = await scene.send("go");
  const claimed = await scene.store.claimLease(id, 15_000);
  if (!claimed.ok) throw new Error(claimed.code);
  const call = { type: "call" as const, call: "s1-0", name: "shell", args: { command: "sleep 600" } };
  const process = { process: "prc_1", command: "sleep 600", cwd: "/", call: "s1-0", background: false };
  await scene.append(
    id,
    { type: "turn_started", data: { turn: "t1", inputs: [] } },
    { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
    { type: "step_completed", data: { step: "s1", attempt: 1, message: [call] } },
    { type: "process_started", data: process },
    { type: "tool_started", data: { call: "s1-0", process: "prc_1" } },
    { type: "stop_requested", data: { turn: "t1" } },
  );
  const session = await HeldSession.open(scene.store, claimed.lease);
  const next = nextStep(session.view, "m", new Date().toISOString());
  if (next.do !== "stop") throw new Error(`it should stop, not ${next.do}`);
  return { session, facts: next.facts };
}
