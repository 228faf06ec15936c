// What waits for a person, over all sessions: in the Inbox, in the tab's title, as news while one is elsewhere.
import { expect, test } from "vitest";
import { useStage, type Begun } from "./matrix/stage.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const stage = useStage();

test("an ask raised in A while on B is told, counted, listed, and still there after a reload", async () => {
  const [a, b] = [await stage.begin("Session A", "careful"), await stage.begin("Session B")];
  const page = await stage.open(`/sessions/${b.session}`);
  await page.getByRole("heading", { name: "Session B" }).waitFor();
  expect(await page.title()).toBe("Session B · Holdfast");
  await raise(a, "echo from A");
  await toasts(page).getByText("Session A wants an approval").waitFor();
  await expect.poll(() => page.title()).toBe("(1) Session B · Holdfast");
  expect(await page.locator('link[rel="icon"][type="image/svg+xml"]').getAttribute("href")).toMatch(/^data:/);
  await page.reload();
  await expect.poll(() => page.title()).toBe("(1) Session B · Holdfast");
  expect(await toasts(page).count()).toBe(0);
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await cards(page).getByText("echo from A").waitFor();
  await cards(page).getByRole("button", { name: "Once" }).click();
  await cards(page).getByText("Answered by you: once").waitFor();
  await expect.poll(() => page.title()).toBe("Inbox · Holdfast");
  expect(await page.locator('link[rel="icon"][type="image/svg+xml"]').getAttribute("href")).toBe("/icon.svg");
  expectNoFaults(page);
});

test("at 390 px nothing of the Inbox sticks out sideways, and its cards are answered there", async () => {
  const a = await stage.begin("A session with a name that is longer than any phone is wide", "careful");
  await raise(a, `echo ${"unbroken".repeat(30)}`);
  const page = await stage.open("/inbox");
  await page.setViewportSize({ width: 390, height: 844 });
  const card = await cards(page).first().boundingBox();
  expect((card?.x ?? 0) + (card?.width ?? 0)).toBeLessThanOrEqual(390);
  await cards(page).getByRole("button", { name: "Deny" }).click();
  await cards(page).getByText("Answered by you: deny").waitFor();
  expectNoFaults(page);
});

test("a toast leads to its ask, and none comes for what is on screen", async () => {
  const [a, b] = [await stage.begin("On screen", "careful"), await stage.begin("Elsewhere", "careful")];
  const page = await stage.open(`/sessions/${a.session}`);
  await page.getByRole("heading", { name: "On screen" }).waitFor();
  await raise(a, "echo seen");
  await cards(page).getByText("echo seen").waitFor();
  await raise(b, "echo unseen");
  await toasts(page).getByText("Elsewhere wants an approval").waitFor();
  expect(await toasts(page).count()).toBe(1);
  await toasts(page).getByRole("link").click();
  await cards(page).getByText("echo unseen").waitFor();
  expect(await toasts(page).count()).toBe(0);
  expectNoFaults(page);
});

test("who finishes or fails elsewhere is told, and a failed session waits in the Inbox", async () => {
  const [a, b] = [await stage.begin("Will finish"), await stage.begin("Will fail")];
  const page = await stage.open("/inbox");
  await page.getByText("Nothing waits for you.").waitFor();
  (await stage.model.asked(a.prompt)).say("All done here.").end();
  await toasts(page).getByText("Will finish is done").waitFor();
  (await stage.model.asked(b.prompt)).fail("no access to the bucket");
  await toasts(page).getByText("Will fail failed").waitFor();
  await page.locator("main").getByRole("link", { name: "Will fail" }).click();
  await page.getByRole("heading", { name: "Will fail" }).waitFor();
  expectNoFaults(page);
});

test("an answered card stays where it is, so that no press meant for it hits the next", async () => {
  const [first, second] = [await stage.begin("First", "careful"), await stage.begin("Second", "careful")];
  await raise(first, "echo 1");
  await raise(second, "echo 2");
  const page = await stage.open("/inbox");
  await expect.poll(() => cards(page).count()).toBe(2);
  await cards(page).first().getByRole("button", { name: "Once" }).dblclick();
  await cards(page).getByText("Answered by you: once").waitFor();
  expect(await cards(page).allInnerTexts()).toMatchObject([/echo 1/, /echo 2/]);
  expect(await cards(page).last().getByRole("button", { name: "Once" }).isVisible()).toBe(true);
  const log = await stage.server.log(second.session);
  expect(log.some(({ type }) => type === "ask_answered")).toBe(false);
  expectNoFaults(page);
});

async function raise({ session, prompt }: Begun, command: string): Promise<void> {
  (await stage.model.asked(prompt)).call("shell", { command }).end();
  await stage.server.untilFact(session, "ask_opened");
}

function cards(page: WatchedPage) {
  return page.locator("main [data-ask]");
}

function toasts(page: WatchedPage) {
  return page.getByRole("region", { name: "News" }).getByRole("listitem");
}
