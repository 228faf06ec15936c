// Whoever works by keyboard is never left nowhere: what goes from the page hands the focus on.
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { useStage } from "./matrix/stage.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const stage = useStage();

test("whoever begins a session goes on writing in it", async () => {
  const page = await stage.open("/new");
  await page.keyboard.type("The first");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\//);
  await expectFocus(page, page.getByRole("textbox", { name: "Message" }));
  await page.keyboard.type("The second");
  await page.keyboard.press("Enter");
  await waiting(page, "The second").waitFor();
  expectNoFaults(page);
});

test("an answer by key leads to the next ask, and after the last one back to the transcript", async () => {
  const { session, prompt } = await stage.begin("Careful", "careful");
  const page = await stage.open(`/sessions/${session}`);
  const speaker = await stage.model.asked(prompt);
  speaker.call("shell", { command: "echo one" }).call("shell", { command: "echo two" }).end();
  const cards = page.locator("main [data-ask]");
  await expect.poll(() => cards.count()).toBe(2);
  await cards.first().focus();
  await page.keyboard.press("y");
  await expect.poll(() => cards.count()).toBe(1);
  await expectFocus(page, cards.first());
  await cards.getByRole("button", { name: "Once" }).press("Enter");
  await expect.poll(() => cards.count()).toBe(0);
  await expectFocus(page, page.getByRole("region", { name: "Transcript" }));
  expectNoFaults(page);
});

test("a waiting input that is removed leaves the focus on the next, and after the last in the composer", async () => {
  const { session } = await stage.begin("Busy");
  for (const text of ["one", "two"])
    await stage.call("POST", `/api/sessions/${session}/inputs`, { kind: "prompt", text });
  const page = await stage.open(`/sessions/${session}`);
  await waiting(page, "one").focus();
  await page.keyboard.press("Enter");
  await expectFocus(page, page.getByRole("textbox", { name: "Change the waiting input" }));
  await page.keyboard.press("Escape");
  await expectFocus(page, waiting(page, "one"));
  await page.keyboard.press("Delete");
  await expectFocus(page, waiting(page, "two"));
  await page.keyboard.press("Delete");
  await expectFocus(page, page.getByRole("textbox", { name: "Message" }));
  expectNoFaults(page);
});

test("a token that is revoked by key leaves the focus on the next, and one that is kept on itself", async () => {
  for (const name of ["first", "second"]) await stage.call("POST", "/api/tokens", { name });
  const page = await stage.open("/settings");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await button("Revoke first").press("Enter");
  await button("Revoke first now").press("Escape");
  await expect.poll(() => focused(page)).toBe("Revoke first");
  await button("Revoke first").press("Enter");
  await button("Revoke first now").press("Enter");
  await expect.poll(() => button("Revoke first").count()).toBe(0);
  await expect.poll(() => focused(page)).toMatch(/^Revoke /);
  expectNoFaults(page);
});

test("a session that is deleted from the list leaves the focus on another row", async () => {
  await stage.create("Goes");
  await stage.create("Stays");
  const page = await stage.open("/inbox");
  const rows = page.getByRole("navigation", { name: "Sessions" });
  await rows.getByRole("link", { name: "Goes" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expectFocus(page, page.getByRole("menuitem").first());
  await page.keyboard.press("End");
  await expectFocus(page, page.getByRole("menuitem", { name: "Delete" }));
  await page.keyboard.press("Enter");
  await expect.poll(() => rows.getByRole("link", { name: "Goes" }).count()).toBe(0);
  await expectFocus(page, rows.getByRole("link", { name: "Stays" }));
  expectNoFaults(page);
});

test("news that is dismissed by key leaves the focus on the next, and after the last where it was", async () => {
  await stage.create("One");
  await stage.create("Two");
  const page = await stage.open("/new");
  for (const title of ["One", "Two"]) {
    await page.getByRole("button", { name: `Menu of ${title}` }).click();
    await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
  }
  const field = page.getByRole("textbox", { name: "Message" });
  await field.focus();
  const news = page.getByRole("region", { name: "News" }).getByRole("listitem");
  const [one, two] = ["Deleted One", "Deleted Two"].map((hasText) =>
    news.filter({ hasText }).getByRole("button", { name: "Dismiss" }),
  ) as [Locator, Locator];
  await two.focus();
  await one.focus(); // from one news to another is no way to come here
  await page.keyboard.press("Enter");
  await expectFocus(page, two);
  await page.keyboard.press("Escape");
  await expectFocus(page, field);
  expectNoFaults(page);
});

test("a file that is taken out by key leaves the focus on the next, and after the last in the text", async () => {
  const page = await stage.open("/new");
  const files = ["a.txt", "b.txt"].map((name) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from("x"),
  }));
  await page.locator("input[type=file]").setInputFiles(files);
  await page.getByRole("button", { name: "Remove a.txt" }).press("Enter");
  await expectFocus(page, page.getByRole("button", { name: "Remove b.txt" }));
  await page.keyboard.press("Enter");
  await expectFocus(page, page.getByRole("textbox", { name: "Message" }));
  expectNoFaults(page);
});

test("on a phone the palette opens from a session's menu, and every page leads back", async () => {
  const { session } = await stage.begin("On the way");
  const page = await stage.open(`/sessions/${session}`, { width: 360, height: 780, touch: true });
  await page.getByRole("button", { name: "Menu of On the way" }).click();
  await page.getByRole("menuitem", { name: "Search or jump to…" }).click();
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("settings");
  await page.getByRole("option", { name: /^Settings/ }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.getByRole("link", { name: "All sessions" }).click();
  await page.getByRole("link", { name: /On the way/ }).waitFor();
  expectNoFaults(page);
});

async function expectFocus(page: WatchedPage, place: ReturnType<WatchedPage["locator"]>): Promise<void> {
  await place.waitFor();
  await expect
    .poll(() => place.evaluate((element) => element === element.ownerDocument.activeElement), {
      message: `the focus is on ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))}`,
    })
    .toBe(true);
}

function waiting(page: WatchedPage, text: string) {
  return page.getByRole("list", { name: "Waiting inputs" }).getByRole("listitem").filter({ hasText: text });
}

function focused(page: WatchedPage): Promise<string> {
  return page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
}
