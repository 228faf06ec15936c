import { expect, it } from "vitest";
import { wallClock } from "../executor/clock.ts";
import { results, types, useScene } from "../executor/scene.ts";
import type { Script } from "../executor/scripted-driver.ts";
import type { AnyEvent } from "../session/event.ts";
import { expireAsk } from "./expire-ask.ts";
import { Timers } from "./timers.ts";

const scene = useScene();
const PROFILE = { policy: { approvals: "ask", config: [] }, askExpiryMs: 60_000 } as const;
const script: Script = ({ context }) =>
  context.length === 1 ? { call: "shell", args: { command: "touch made" } } : "So be it.";

it("an ask that nobody answers in time is closed and its call denied, once, whoever looks at the clock", async () => {
  await scene.run(script, PROFILE);
  const session = await scene.send("may I");
  const { ask, expires } = askIn(await scene.untilFact(session, "ask_opened"));
  expect(Date.parse(expires)).toBeGreaterThan(Date.now());
  const { store } = scene;
  const log = { error: (detail: object, message: string) => console.error(message, detail) };
  const keepers = [1, 2].map(
    () => new Timers({ store, clock: wallClock, pollMs: 10, act: (timer) => expireAsk(store, timer), log }),
  );
  for (const keeper of keepers) keeper.start();
  expect(await store.dueTimers(10)).toEqual([]);
  scene.advance(61_000);
  const events = await scene.untilFact(session, "turn_ended");
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  expect(types(events).filter((type) => type === "ask_closed")).toHaveLength(1);
  expect(results(events)).toMatchObject([{ status: "denied", result: "Nobody answered in time." }]);
  expect(await store.ask(ask)).toMatchObject({ state: "expired", closedBy: { keeper: "asks" } });
  expect(await store.dueTimers(10)).toEqual([]);
});

it("a timer whose ask was answered, or never came to be, only goes", async () => {
  await scene.run(script, PROFILE);
  const session = await scene.send("may I");
  const { ask } = askIn(await scene.untilFact(session, "ask_opened"));
  await scene.append(session, {
    type: "ask_answered",
    data: { ask, kind: "approval", answer: { choice: "once" } },
  });
  const before = types(await scene.untilFact(session, "turn_ended"));
  for (const key of [`expire:${ask}`, "expire:ask_none"])
    expect(await expireAsk(scene.store, { key, log: session, dueAt: "" })).toBe(true);
  expect(await expireAsk(scene.store, { key: "another:timer", log: session, dueAt: "" })).toBe(false);
  expect(types(await scene.untilFact(session, "turn_ended"))).toEqual(before);
});

function askIn(log: readonly AnyEvent[]): { ask: string; expires: string } {
  const opened = log.find(({ type }) => type === "ask_opened");
  if (!opened) throw new Error("no ask was opened");
  return opened.data as { ask: string; expires: string }; // as its writer typed it, with an expiry in this profile
}
