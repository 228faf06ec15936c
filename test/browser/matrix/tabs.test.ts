// V7, S12: many tabs on one session, and none at all.
import { expect, test } from "vitest";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaults } from "../watched-page.ts";
import { expectBadgesAgree } from "./badges.ts";
import { useStage } from "./stage.ts";

const stage = useStage();

test("six tabs show the same at every moment, and an answer in one of them reaches all", async () => {
  const a = await stage.begin("A", "careful");
  const b = await stage.begin("B");
  const paths = [a, a, a, a, b, b].map(({ session }) => `/sessions/${session}`);
  const tabs = await Promise.all(paths.map((path) => stage.open(path)));
  const sessions = [a, a, a, a, b, b].map(({ session }) => session);
  const expectAllEqual = async () => {
    for (const [n, tab] of tabs.entries()) await expectPageEqualsProjection(tab, stage.server, sessions[n]!);
    await expectBadgesAgree(stage, tabs);
  };

  const ofB = await stage.model.asked(b.prompt);
  ofB.say("B speaks ");
  const ofA = await stage.model.asked(a.prompt);
  ofA.say("A speaks ");
  await expectAllEqual();
  ofA.say("and asks.").call("shell", { command: "echo heard" }).end();
  for (const tab of tabs.slice(0, 4)) await tab.locator("main [data-ask]").waitFor();
  await expectAllEqual();
  await tabs[2]!.locator("main [data-ask]").getByRole("button", { name: "Once", exact: true }).click();
  (await stage.model.asked(a.prompt)).say("A is done.").end();
  ofB.say("and is done.").end();
  await stage.server.untilFact(a.session, "turn_ended");
  await stage.server.untilFact(b.session, "turn_ended");
  await expectAllEqual();
  tabs.forEach((tab) => expectNoFaults(tab));
});

test("a turn goes on when the last tab is closed, and the next tab shows all of it", async () => {
  const a = await stage.begin("A");
  const speaker = await stage.model.asked(a.prompt);
  speaker.say("Seen. ");
  const first = await stage.open(`/sessions/${a.session}`);
  await first.locator("main").getByText("Seen.").waitFor();
  await first.close();
  speaker.call("read", { path: "." }).end();
  (await stage.model.asked(a.prompt)).say("Not seen.").end();
  const log = await stage.server.untilFact(a.session, "turn_ended");
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });

  const page = await stage.open(`/sessions/${a.session}`);
  await page.locator("main").getByText("Not seen.").waitFor();
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  expectNoFaults(page);
});
