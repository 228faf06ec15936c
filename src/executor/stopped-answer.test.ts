import { expect, it } from "vitest";
import type { DraftData, NewEvent } from "../session/event.ts";
import { formatPosition } from "../session/position.ts";
import { DamagedEvent } from "../store/store.ts";
import { useScene } from "./scene.ts";

const scene = useScene();

it("a stop that is carried out after a crash says what the model had said, from its drafts", async () => {
  const session = await leftBy(
    draft("0", "reasoning", 0, "They want to talk."),
    draft("1", "text", 0, "I was "),
    { type: "notice", data: { level: "info", text: "something in between" } },
    draft("1", "text", 6, "just"),
    draft("2", "text", 0, "about to"),
    draft("3", "args", 0, '{"command'),
  );
  await scene.run(() => "Where was I?");
  await scene.untilFact(session, "turn_ended");
  await expectKnownWhenAskedToGoOn(session, "I was just\n\nabout to");
});

it("a stop of an answer that a shutdown broke off says what the model had said", async () => {
  const session = await leftBy(draft("0", "text", 0, "I was just"), {
    type: "step_aborted",
    data: { step: "s5", attempt: 1, reason: "shutdown" },
  });
  await scene.run(() => "never");
  await scene.untilFact(session, "turn_ended");
  await expectKnownWhenAskedToGoOn(session, "I was just");
});

it("a stop that is carried out after a crash, before the model had said a word, leaves nothing to know of it", async () => {
  const session = await leftBy(draft("0", "reasoning", 0, "Hm."));
  await scene.run(() => "never");
  const log = await scene.untilFact(session, "turn_ended");
  expect(log.find(({ type }) => type === "step_aborted")?.data).toEqual({
    step: "s5",
    attempt: 1,
    reason: "stopped",
  });
});

it("a stop is carried out though what the model had said is damaged", async () => {
  const session = await leftBy(draft("0", "text", 0, "I was"));
  const view = async (log: string) => {
    throw new DamagedEvent(log, formatPosition(6, 1));
  };
  await scene.run(() => "never", {}, { store: { ...scene.store, view } });
  const log = await scene.untilFact(session, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "stopped" });
});

async function expectKnownWhenAskedToGoOn(session: string, said: string): Promise<void> {
  const driver = await scene.run(() => "Where was I?");
  await scene.send("go on", session);
  await scene.untilFact(session, "turn_ended", 2);
  expect(driver.requests[0]?.context).toMatchObject([
    { role: "person", text: "talk" },
    { role: "agent", pieces: [{ type: "text", text: said }] },
    { role: "person", text: "[Holdfast] A person stopped this answer here." },
    { role: "person", text: "go on" },
  ]);
}

/** A session whose executor died while its model spoke, and which a person stopped before another came. */
async function leftBy(...events: NewEvent[]): Promise<string> {
  const session = await scene.send("talk");
  const { input, position: from } = (await scene.store.view(session))!.queue[0]!;
  await scene.append(
    session,
    { type: "turn_started", data: { turn: "t3", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t3", from } },
    { type: "step_started", data: { turn: "t3", step: "s5", attempt: 1, model: "m" } },
  );
  for (const event of events) await scene.append(session, event);
  await scene.append(session, { type: "stop_requested", data: { turn: "t3" } });
  return session;
}

function draft(piece: string, kind: DraftData["kind"], offset: number, text: string): NewEvent {
  return { type: "draft", data: { part: `s5.1/${piece}`, kind, offset, text } };
}
