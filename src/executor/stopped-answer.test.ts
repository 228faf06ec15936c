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

it("a stop of an answer that waits to be tried again says what the model had said", async () => {
  const session = await leftBy(draft("0", "text", 0, "I was just"), {
    type: "step_aborted",
    data: {
      step: "s5",
      attempt: 1,
      reason: "overloaded",
      error: { code: "overloaded", message: "Too much to do." },
      retryAt: "2999-01-01T00:00:00.000Z",
    },
  });
  await scene.run(() => "never");
  await scene.untilFact(session, "turn_ended");
  await expectKnownWhenAskedToGoOn(session, "I was just");
});

it("what a person had stopped already is told once", async () => {
  const session = await leftBy(draft("0", "text", 0, "I was just"), {
    type: "step_aborted",
    data: { step: "s5", attempt: 1, reason: "stopped", said: "I was just" },
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

it("an answer that breaks off for good is known to the model when it is asked to go on", async () => {
  const fault = { class: "auth", message: "The key was taken back." } as const;
  await scene.run(() => ({ fault, after: "I was just" }));
  const session = await scene.send("talk");
  await scene.untilFact(session, "turn_ended");
  await expectKnownWhenAskedToGoOn(
    session,
    "I was just",
    "This answer broke off here: The key was taken back.",
  );
});

it("so is one whose server was lost too often", async () => {
  const session = await spokenIn(draft("0", "text", 0, "I was just"), {
    type: "executor_recovered",
    data: { epoch: 9, takeover: 4 },
  });
  await scene.run(() => "never");
  await scene.untilFact(session, "turn_ended");
  await expectKnownWhenAskedToGoOn(
    session,
    "I was just",
    "This answer broke off here: This step was taken over 4 times: whoever worked on it died.",
  );
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

async function expectKnownWhenAskedToGoOn(
  session: string,
  said: string,
  why = "A person stopped this answer here.",
): Promise<void> {
  const driver = await scene.run(() => "Where was I?");
  await scene.send("go on", session);
  await scene.untilFact(session, "turn_ended", 2);
  expect(driver.requests[0]?.context).toMatchObject([
    { role: "person", text: "talk" },
    { role: "agent", pieces: [{ type: "text", text: said }] },
    { role: "person", text: `[Holdfast] ${why}` },
    { role: "person", text: "go on" },
  ]);
}

/** A session whose executor died while its model spoke, and which a person stopped before another came. */
async function leftBy(...events: NewEvent[]): Promise<string> {
  const session = await spokenIn(...events);
  await scene.append(session, { type: "stop_requested", data: { turn: "t3" } });
  return session;
}

async function spokenIn(...events: NewEvent[]): Promise<string> {
  const session = await scene.send("talk");
  const { input, position: from } = (await scene.store.view(session))!.queue[0]!;
  await scene.append(
    session,
    { type: "turn_started", data: { turn: "t3", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t3", from } },
    { type: "step_started", data: { turn: "t3", step: "s5", attempt: 1, model: "m" } },
  );
  for (const event of events) await scene.append(session, event);
  return session;
}

function draft(piece: string, kind: DraftData["kind"], offset: number, text: string): NewEvent {
  return { type: "draft", data: { part: `s5.1/${piece}`, kind, offset, text } };
}
