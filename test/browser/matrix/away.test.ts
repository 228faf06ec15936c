// S6, S7: whoever comes back is led to where they were, and told what came meanwhile: as much as the log says, no more.
import { expect, test } from "vitest";
import type { AnyEvent } from "../../../src/session/event.ts";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaults, expectNoFaultsButDeaths, type WatchedPage } from "../watched-page.ts";
import { expectBadgesAgree } from "./badges.ts";
import { useStage, type Begun } from "./stage.ts";

const stage = useStage();

test("who closes the tab and opens / again is where they were, and told what they missed", async () => {
  const a = await beginAndRead();
  const before = await stage.server.log(a.session);
  for (const page of a.page.context().pages()) await page.close();
  await workOn(a);
  const page = await stage.open("/");
  await page.waitForURL(`**/sessions/${a.session}`);
  await expectTold(page, `While you were away: ${missed(await newIn(a, before))}`);
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  expectNoFaults(page);
});

test("who looks at B meanwhile is told in A what they missed", async () => {
  const a = await beginAndRead();
  const b = await stage.call<{ id: string }>("POST", "/api/sessions", { title: "B" });
  await a.page.locator(`li[data-session="${b.id}"]`).getByRole("link").click();
  await a.page.waitForURL(`**/sessions/${b.id}`);
  const before = await stage.server.log(a.session);
  await workOn(a);
  await a.page.locator(`li[data-session="${a.session}"]`).getByRole("link").click();
  await expectTold(a.page, `While you were away: ${missed(await newIn(a, before))}`);
  await expectPageEqualsProjection(a.page, stage.server, a.session);
  expectNoFaults(a.page);
});

test("who loses the network is told what they missed, once it is back", async () => {
  const a = await beginAndRead();
  const before = await stage.server.log(a.session);
  stage.network.refuse();
  await a.page
    .getByText(/^reconnecting/)
    .first()
    .waitFor();
  await workOn(a);
  stage.network.heal();
  await expectTold(a.page, `Reconnected: ${missed(await newIn(a, before))} while you were away`);
  await expectPageEqualsProjection(a.page, stage.server, a.session);
  await expectBadgesAgree(stage, [a.page]);
  expectNoFaultsButDeaths(a.page);
});

type Read = Begun & { page: WatchedPage };

/** A turn that is over and was read to its end. */
async function beginAndRead(): Promise<Read> {
  const a = await stage.begin("A", "careful");
  const page = await stage.open(`/sessions/${a.session}`);
  (await stage.model.asked(a.prompt)).say("The first answer.").end();
  await page.locator("main").getByText("The first answer.").waitFor();
  await stage.server.untilFact(a.session, "turn_ended");
  await expect
    .poll(async () => (await stage.call<{ unread: number }>("GET", `/api/sessions/${a.session}`)).unread)
    .toBe(0);
  return { ...a, page };
}

/** Words, tools and an ask, while nobody looks. */
async function workOn(a: Begun): Promise<void> {
  const prompt = `More for ${a.prompt}`;
  await stage.server.send(prompt, a.session);
  const speaker = await stage.model.asked(prompt);
  speaker.say("I look around. ").call("read", { path: "." }).call("read", { path: "nothing" }).end();
  (await stage.model.asked(prompt)).say("One more thing. ").call("read", { path: "." }).end();
  (await stage.model.asked(prompt)).say("May I? ").call("shell", { command: "echo please" }).end();
  await stage.server.untilFact(a.session, "ask_opened");
}

async function newIn(a: Begun, before: AnyEvent[]): Promise<AnyEvent[]> {
  const seen = before.at(-1)?.position ?? "";
  return (await stage.server.log(a.session)).filter(({ position }) => position > seen);
}

/** As the log says; the prompt is the person's own. */
function missed(events: AnyEvent[]): string {
  const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
  const messages = count("step_completed"); // each of them says something
  return `${messages} messages, ${count("tool_finished")} tool calls, ${count("ask_opened")} approval`;
}

async function expectTold(page: WatchedPage, words: string): Promise<void> {
  await page.getByRole("button", { name: words, exact: true }).waitFor();
  await page.locator("main").getByText("you were here").waitFor({ state: "attached" });
}
