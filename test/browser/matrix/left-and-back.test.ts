// V1, V4, V7: whatever the work is at, and however a person leaves and comes back, it is as if they never left.
import { describe, expect, test } from "vitest";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaultsButDeaths, type WatchedPage } from "../watched-page.ts";
import { useStage } from "./stage.ts";
import { beginWork, LAST_WORDS, MOMENTS, type UnderWay } from "./under-way.ts";

const stage = useStage();

type Leaving = {
  how: string;
  died?: boolean;
  /** Gives the page in which the person goes on. */
  go: (page: WatchedPage, work: UnderWay) => Promise<WatchedPage>;
};

const LEAVINGS: Leaving[] = [
  {
    how: "switching to another session and back",
    async go(page, { title }) {
      await toOther(page);
      await row(page, title).click();
      return page;
    },
  },
  {
    how: "a reload",
    async go(page) {
      await page.reload();
      return page;
    },
  },
  {
    how: "Back and Forward",
    async go(page, { session }) {
      await toOther(page);
      await page.goBack();
      await page.waitForURL(`**/sessions/${session}`);
      await page.goForward();
      await page.getByRole("heading", { name: OTHER }).waitFor();
      await page.goBack();
      return page;
    },
  },
  {
    how: "leaving Holdfast and Back",
    async go(page) {
      await page.goto("about:blank");
      await page.goBack();
      return page;
    },
  },
  { how: "a second tab", go: (_, { session }) => stage.open(`/sessions/${session}`) },
  {
    how: "kill -9 of the server",
    died: true,
    async go(page) {
      await stage.server.kill("SIGKILL");
      await stage.server.start();
      return page;
    },
  },
  {
    how: "SIGTERM of the server and its return",
    died: true,
    async go(page) {
      await stage.server.kill("SIGTERM");
      await stage.server.start();
      return page;
    },
  },
];

const OTHER = "The other session";

describe.each(LEAVINGS)("$how", ({ died = false, go }) => {
  test.each(MOMENTS)("in a moment of: %s, leaves nothing out and shows nothing twice", async (moment) => {
    await stage.call("POST", "/api/sessions", { title: OTHER });
    const work = await beginWork(stage, "The session at work", moment);
    const first = await stage.open(`/sessions/${work.session}`);
    await work.expectShown(first);
    const page = await go(first, work);
    await work.expectShown(page);
    await expectPageEqualsProjection(page, stage.server, work.session);
    await work.finish(page, { died });
    await page.locator("main").getByText(LAST_WORDS).waitFor();
    for (const tab of new Set([first, page])) {
      await expectPageEqualsProjection(tab, stage.server, work.session);
      expectNoFaultsButDeaths(tab);
    }
  });

  test("keeps what waits and what was typed", async () => {
    await stage.call("POST", "/api/sessions", { title: OTHER });
    const work = await beginWork(stage, "The session at work", "mid-sentence");
    const first = await stage.open(`/sessions/${work.session}`);
    await work.expectShown(first);
    const next = `After ${work.prompt}`;
    await composer(first).fill(next);
    await composer(first).press("Enter");
    await composer(first).fill("half a thought");
    await first.getByRole("list", { name: "Waiting inputs" }).getByText(next).waitFor();
    const page = await go(first, work);
    await expectPageEqualsProjection(page, stage.server, work.session);
    await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
    await work.finish(page, { died });
    (await stage.model.asked(next)).say("That too.").end();
    await page.locator("main").getByText("That too.").waitFor();
    await stage.server.untilFact(work.session, "turn_ended", 2);
    await expectPageEqualsProjection(page, stage.server, work.session);
    expect(await composer(page).inputValue()).toBe("half a thought");
    expectNoFaultsButDeaths(page);
  });
});

async function toOther(page: WatchedPage): Promise<void> {
  await row(page, OTHER).click();
  await page.getByRole("heading", { name: OTHER }).waitFor();
}

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}

function row(page: WatchedPage, title: string) {
  return page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: title });
}
