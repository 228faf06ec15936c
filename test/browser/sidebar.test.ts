// The list of sessions in a real browser: what its rows say, what can be done from them, and that a deletion can be taken
// back.
import { expect, test } from "vitest";
import { useStage } from "./matrix/stage.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const stage = useStage();

test("sessions stand under headings: pinned, at work, then by their day", async () => {
  await stage.create("At rest");
  const work = await stage.begin("At work");
  const pinned = await stage.create("Pinned one");
  await stage.call("PATCH", `/api/sessions/${pinned}`, { pinned: true });
  const page = await stage.open("/");
  await expect
    .poll(() => list(page).locator("li > .row-line .title, li.group").allInnerTexts())
    .toEqual(["Pinned", "Pinned one", "Now", "At work", "Today", "At rest"]);
  (await stage.model.asked(work.prompt)).say("Done.").end();
  await expect
    .poll(() => list(page).locator("li > .row-line .title, li.group").allInnerTexts())
    .toEqual(["Pinned", "Pinned one", "Today", "At work", "At rest"]);
  expectNoFaults(page);
});

test("a row says what its session does now", async () => {
  const { prompt } = await stage.begin("Busy");
  const page = await stage.open("/");
  const speaker = await stage.model.asked(prompt);
  speaker.say("Let me see. ");
  await row(page, "Busy").getByText("writing").waitFor();
  speaker.call("shell", { command: "tail -f /dev/null" }).end();
  await row(page, "Busy").getByText("shell tail -f /dev/null").waitFor();
  expectNoFaults(page);
});

test("agents that work for a session stand under it, live, and can be opened and stopped; beyond a few they are folded", async () => {
  const { session, prompt } = await stage.begin("Parent");
  const page = await stage.open(`/sessions/${session}`);
  const speaker = await stage.model.asked(prompt);
  for (let n = 1; n <= 5; n++) speaker.call("delegate", { prompt: `Errand ${n}` });
  speaker.end();
  const below = row(page, "Parent").getByRole("list", { name: "Agents at work for it" });
  await row(page, "Parent").getByText("5 agents at work").waitFor();
  expect(await below.getByRole("listitem").count()).toBe(3);
  await row(page, "Parent").getByRole("button", { name: "2 more" }).click();
  expect(await below.locator(".title").allInnerTexts()).toHaveLength(5);
  (await stage.model.asked("Errand 1")).say("Found it.").end();
  await expect.poll(() => below.getByText("Errand 1").count()).toBe(0);
  const second = below.getByRole("listitem").filter({ hasText: "Errand 2" });
  (await stage.model.asked("Errand 2")).say("Half way ");
  await second.getByRole("link").click();
  await page.locator("main").getByText("Half way").waitFor();
  await openMenu(page, "Errand 2");
  await page.getByRole("menuitem", { name: "Stop" }).click();
  await expect.poll(() => below.getByText("Errand 2").count()).toBe(0);
  await page.locator("main").getByText("stopped").first().waitFor();
  expectNoFaults(page);
});

test("an agent's ask shows in its parent's row and in its parent's pane, and is answered there", async () => {
  const { session, prompt } = await stage.begin("Asked through", "careful");
  const page = await stage.open(`/sessions/${session}`);
  (await stage.model.asked(prompt)).call("delegate", { prompt: "Careful errand" }).end();
  (await stage.model.asked("Careful errand")).call("shell", { command: "echo below" }).end();
  await expect
    .poll(() => row(page, "Asked through").locator(".mark").first().getAttribute("class"))
    .toContain("approval");
  const card = page.locator("main [data-ask]");
  await card.getByText("echo below").waitFor();
  await card.getByRole("button", { name: "Once" }).click();
  const speaker = await stage.model.asked("Careful errand");
  expect(speaker.results.join()).toContain("below");
  speaker.say("Done below.").end();
  (await stage.model.asked(prompt)).say("Done above.").end();
  await page.locator("main").getByText("Done above.").waitFor();
  expect(await card.count()).toBe(0);
  expectNoFaults(page);
});

test("a deleted session is out of sight at once, comes back on Undo, and is really gone after a while", async () => {
  const session = await stage.create("Deleted by mistake");
  const page = await stage.open(`/sessions/${session}`);
  await page.clock.install();
  await remove(page, "Deleted by mistake");
  await expect.poll(() => new URL(page.url()).pathname).toBe("/");
  await expect.poll(() => row(page, "Deleted by mistake").count()).toBe(0);
  expect(await exists(session)).toBe(true);
  await news(page).getByRole("button", { name: "Undo" }).click();
  await row(page, "Deleted by mistake").waitFor();
  expect(page.url()).toContain(session);
  await remove(page, "Deleted by mistake");
  await page.mouse.move(0, 0);
  await page.clock.fastForward(9_000);
  await expect.poll(() => exists(session)).toBe(false);
  expect(await row(page, "Deleted by mistake").count()).toBe(0);
  expectNoFaults(page);
});

test.each([
  ["", { worker: false }],
  [", past the service worker", { worker: true }],
])("a deletion that nobody took back is carried out when the page is left%s", async (_, options) => {
  const session = await stage.create("Left behind");
  const page = await stage.open("/", options);
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
    .toBe(options.worker);
  await remove(page, "Left behind");
  await news(page).getByText("Deleted Left behind").waitFor();
  if (options.worker) await endWorkers(page);
  await page.goto("about:blank");
  await expect.poll(() => exists(session)).toBe(false);
});

test("a session at work is deleted only after a question", async () => {
  const { session } = await stage.begin("At work still");
  const page = await stage.open("/");
  await row(page, "At work still").getByText("thinking").waitFor();
  await remove(page, "At work still");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await row(page, "At work still").waitFor();
  await remove(page, "At work still");
  await page.getByRole("dialog").getByRole("button", { name: "Delete it" }).click();
  await news(page).getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => exists(session)).toBe(false);
  expectNoFaults(page);
});

test("what the menu offers is done: pin, rename, fork, archive and back, and the export is the server's", async () => {
  const session = await stage.create("First name");
  const page = await stage.open("/");
  await choose(page, "First name", "Pin");
  await list(page).getByText("Pinned", { exact: true }).waitFor();
  await choose(page, "First name", "Rename…");
  await page.getByLabel("New title").fill("Second name");
  await page.keyboard.press("Enter");
  await row(page, "Second name").waitFor();
  const saved = page.waitForEvent("download");
  await choose(page, "Second name", "Export as Markdown");
  expect((await saved).url()).toContain(`/api/sessions/${session}/export?format=md`);
  await choose(page, "Second name", "Fork");
  await expect.poll(() => row(page, "Second name").count()).toBe(2);
  expect(page.url()).not.toContain(session);
  await openMenuIn(page.locator(`[data-session="${session}"]`));
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await expect.poll(() => row(page, "Second name").count()).toBe(1);
  await page.getByRole("link", { name: "Archived sessions" }).click();
  const archived = page.getByRole("list", { name: "Archived sessions" });
  await openMenuIn(archived.getByRole("listitem").filter({ hasText: "Second name" }));
  await page.getByRole("menuitem", { name: "Bring back from the archive" }).click();
  await page.getByText("Nothing is archived.").waitFor();
  await expect.poll(() => row(page, "Second name").count()).toBe(2);
  expectNoFaults(page);
});

test("arrows and j and k lead from row to row, Enter opens, and Tab goes on to the row's menu", async () => {
  for (const title of ["Three", "Two", "One"]) await stage.create(title);
  const page = await stage.open("/");
  await row(page, "One").getByRole("link").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("j");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Three");
  await page.keyboard.press("k");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Two" }).waitFor();
  expectNoFaults(page);
});

test("more rows than a page are read as one scrolls, and the last of them is there", async () => {
  const titles = Array.from({ length: 230 }, (_, n) => `Number ${n}`);
  for (const title of titles) await stage.create(title);
  const page = await stage.open("/");
  await row(page, "Number 229").waitFor();
  expect(await row(page, "Number 0").count()).toBe(0);
  await list(page).evaluate((nav) => nav.scrollTo(0, nav.scrollHeight));
  await row(page, "Number 0").waitFor({ state: "attached" });
  await expect
    .poll(() => list(page).getByRole("listitem").and(page.locator("[data-session]")).count())
    .toBe(230);
  expectNoFaults(page);
});

/** As the browser does when they have been idle for a while: the next request that is theirs has to wake one. */
async function endWorkers(page: WatchedPage): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("ServiceWorker.enable");
  await devTools.send("ServiceWorker.stopAllWorkers");
  await devTools.detach();
}

async function exists(session: string): Promise<boolean> {
  return (await stage.server.fetch(`/api/sessions/${session}`)).status !== 404;
}

async function remove(page: WatchedPage, title: string): Promise<void> {
  await choose(page, title, "Delete");
}

async function choose(page: WatchedPage, title: string, what: string): Promise<void> {
  await openMenu(page, title);
  await page.getByRole("menuitem", { name: what, exact: true }).click();
}

async function openMenu(page: WatchedPage, title: string): Promise<void> {
  await openMenuIn(
    list(page)
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: title }) })
      .last(),
  );
}

async function openMenuIn(item: ReturnType<WatchedPage["locator"]>): Promise<void> {
  await item
    .getByRole("button", { name: /^Menu of/ })
    .last()
    .click();
}

function list(page: WatchedPage) {
  return page.getByRole("navigation", { name: "Sessions" });
}

function row(page: WatchedPage, title: string) {
  return list(page)
    .locator("li[data-session]:not(li li)")
    .filter({ has: page.locator(".row-line .title").getByText(title, { exact: true }) });
}

function news(page: WatchedPage) {
  return page.getByRole("region", { name: "News" });
}
