// A2, A6: one ask, several places to answer it. The first answer counts, once; who comes too late is told who said what.
import { describe, expect, test } from "vitest";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaults, type WatchedPage } from "../watched-page.ts";
import { expectBadgesAgree } from "./badges.ts";
import { useStage, type Begun } from "./stage.ts";

const stage = useStage();

const PLACES = [
  ["two tabs", (path: string) => stage.open(path)],
  ["two browsers", (path: string) => stage.openElsewhere(path)],
] as const;

describe.each(PLACES)("in %s", (_, openOther) => {
  test("two answers at the same moment: one counts, and the command runs once", async () => {
    const a = await beginAsking();
    const pages = [await stage.open(pathOf(a)), await openOther(pathOf(a))];
    const buttons = await Promise.all(pages.map((page) => once(page).elementHandle()));
    await Promise.all(buttons.map((button) => button?.evaluate((it) => (it as HTMLElement).click())));
    await expectAnsweredOnce(a, pages);
    for (const page of pages) expectNoFaults(page, /409/);
  });

  test("who comes too late is told who answered what", async () => {
    const a = await beginAsking();
    const [first, late] = [await stage.open(pathOf(a)), await openOther(pathOf(a))];
    const { promise: isAnswered, resolve: answered } = Promise.withResolvers<void>();
    await late.route("**/answer", async (route) => {
      await isAnswered; // on its way for so long that the other one was faster
      await route.continue();
    });
    await once(late).click();
    await once(first).click();
    await stage.server.untilFact(a.session, "ask_answered");
    answered();
    await late.getByText("Answered by you on another device: once").waitFor();
    await expectAnsweredOnce(a, [first, late]);
    expect(await first.getByText("Answered by").count()).toBe(0);
    expectNoFaults(first);
    expectNoFaults(late, /409/);
  });
});

test("an ask is answered in the Inbox while its session is on screen elsewhere", async () => {
  const a = await beginAsking();
  const [page, inbox] = [await stage.open(pathOf(a)), await stage.open("/inbox")];
  await once(page).waitFor();
  await expectBadgesAgree(stage, [page, inbox]);
  await once(inbox).click();
  await expectAnsweredOnce(a, [page]);
  await inbox.locator("main").getByText("Answered by you: once").waitFor();
  await expectBadgesAgree(stage, [page, inbox]);
  for (const tab of [page, inbox]) expectNoFaults(tab);
});

test("an ask is answered on its own page, and its link then says by whom", async () => {
  const a = await beginAsking();
  const log = await stage.server.untilFact(a.session, "ask_opened");
  const { ask } = log.find(({ type }) => type === "ask_opened")!.data as { ask: string };
  const [page, own] = [await stage.open(pathOf(a)), await stage.openElsewhere(`/asks/${ask}`)];
  await once(own).click();
  await expectAnsweredOnce(a, [page]);
  await page.goto(new URL(`/asks/${ask}`, stage.network.url).href);
  await page.getByText("Answered by you on another device: once").waitFor();
  await expectBadgesAgree(stage, [page, own]);
  for (const tab of [page, own]) expectNoFaults(tab);
});

async function beginAsking(): Promise<Begun> {
  const a = await stage.begin("A", "careful");
  const command = `echo ran >> ran-${a.session}`;
  (await stage.model.asked(a.prompt)).say("May I? ").call("shell", { command }).end();
  return a;
}

async function expectAnsweredOnce(a: Begun, pages: WatchedPage[]): Promise<void> {
  (await stage.model.asked(a.prompt)).say("Thank you.").end();
  const log = await stage.server.untilFact(a.session, "turn_ended");
  expect(log.filter(({ type }) => type === "ask_answered")).toHaveLength(1);
  expect(await stage.server.file(`ran-${a.session}`)).toBe("ran\n");
  for (const page of pages) await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, pages);
}

function once(page: WatchedPage) {
  return page.locator("main [data-ask]").getByRole("button", { name: "Once", exact: true });
}

function pathOf({ session }: Begun): string {
  return `/sessions/${session}`;
}
