// V7: the network between a page and its server does what networks do. Nothing is lost but by an explicit resync, and
// nothing is shown twice.
import { expect, test } from "vitest";
import type { ServerFrame } from "../../../src/protocol/socket.ts";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaultsButDeaths, type WatchedPage } from "../watched-page.ts";
import { expectBadgesAgree } from "./badges.ts";
import { useStage } from "./stage.ts";

const stage = useStage();

test("a socket that is cut twenty times in mid-sentence loses no word", async () => {
  const a = await stage.begin("A");
  const speaker = await stage.model.asked(a.prompt);
  speaker.say("It says: ");
  const page = await openWithClock(`/sessions/${a.session}`);
  await page.locator("main").getByText("It says:").waitFor();
  for (let cut = 1; cut <= 20; cut++) {
    stage.network.reset();
    speaker.say(`word${cut} `); // while nobody hears
    await page
      .getByText(/^reconnecting/)
      .first()
      .waitFor();
    await page.clock.fastForward(10_000); // however long it would have waited
    await page.locator("main").getByText(`word${cut}`).waitFor();
  }
  await expectPageEqualsProjection(page, stage.server, a.session);
  speaker.say("and that is all.").end();
  await stage.server.untilFact(a.session, "turn_ended");
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  expectNoFaultsButDeaths(page);
});

test("a page that was frozen for ten minutes without a network shows all that happened meanwhile", async () => {
  const a = await stage.begin("A", "careful");
  const speaker = await stage.model.asked(a.prompt);
  speaker.say("Before the sleep. ");
  const page = await openWithClock(`/sessions/${a.session}`);
  await page.locator("main").getByText("Before the sleep.").waitFor();

  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  stage.network.blackHole();
  speaker.say("In the sleep. ").call("read", { path: "." }).end();
  (await stage.model.asked(a.prompt)).say("Still asleep. ").call("shell", { command: "echo woken" }).end();
  await stage.server.untilFact(a.session, "ask_opened");
  stage.network.refuse(); // what was connected before a sleep is gone after it
  stage.network.heal();
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await page.clock.fastForward(10 * 60_000);

  await page.locator("main [data-ask]").waitFor();
  await page.getByText("Reconnected: 2 messages, 1 tool call, 1 approval while you were away").waitFor();
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  await page.locator("main [data-ask]").getByRole("button", { name: "Once", exact: true }).click();
  (await stage.model.asked(a.prompt)).say("Awake.").end();
  await page.locator("main").getByText("Awake.").waitFor();
  await stage.server.untilFact(a.session, "turn_ended");
  await expectPageEqualsProjection(page, stage.server, a.session);
  expectNoFaultsButDeaths(page);
});

test("a page that reads too slowly is given the view instead of what it did not take", async () => {
  const a = await stage.begin("A");
  const speaker = await stage.model.asked(a.prompt);
  speaker.say("It begins. ");
  const page = await stage.open("/new");
  const resyncs = resyncsOf(page);
  await page.goto(new URL(`/sessions/${a.session}`, stage.network.url).href);
  await page.locator("main").getByText("It begins.").waitFor();

  stage.network.stall();
  let next = speaker;
  for (let thoughts = 0; (await slowReaders()) === 0; thoughts++) {
    expect(thoughts).toBeLessThan(150);
    next.think("hm".repeat(30_000)).call("read", { path: "." }).end();
    next = await stage.model.asked(a.prompt);
  }
  stage.network.heal();
  next.say("It ends.").end();
  await page.locator("main").getByText("It ends.").waitFor();
  await stage.server.untilFact(a.session, "turn_ended");
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  expect(resyncs).toContain("overflow");
  expectNoFaultsButDeaths(page);
});

/** With a clock of its own, which goes on by itself and can be moved on. */
async function openWithClock(path: string): Promise<WatchedPage> {
  const page = await stage.open("/new");
  await page.clock.install();
  await page.goto(new URL(path, stage.network.url).href);
  return page;
}

/** Why the page was given a view, each time that it was, on sockets that are yet to be opened. */
function resyncsOf(page: WatchedPage): string[] {
  const reasons: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const frame = JSON.parse(String(payload)) as ServerFrame;
      if (frame.op === "resync") reasons.push(frame.reason);
    }),
  );
  return reasons;
}

/** How many were cut or given a view, over the whole life of the server. */
async function slowReaders(): Promise<number> {
  const text = await (await stage.server.fetch("/metrics")).text();
  return Number(/^holdfast_slow_readers_total\{kind="ws"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
