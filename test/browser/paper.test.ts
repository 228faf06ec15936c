// A session on paper, as the browser prints it.
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import { Script, text } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
const NOTICES = 400;

test("a printed session is its transcript, out of view too, black on white and without what can be pressed", async () => {
  const page = await open({ dark: true });
  await page.evaluate(() => (document.documentElement.dataset["theme"] = "dark"));
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => rows(page)).toBeGreaterThanOrEqual(50);
  await page.getByText("What came earlier is not printed here.").waitFor();
  await page.getByRole("heading", { name: "On paper" }).waitFor();
  expect(await page.locator("button:not(.title):visible, textarea:visible, .sidebar:visible").count()).toBe(
    0,
  );
  const { ink, paper, height, room } = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.body);
    const log = document.querySelector(".log");
    return { ink: color, paper: backgroundColor, height: log?.scrollHeight, room: log?.clientHeight };
  });
  expect([ink, paper]).toEqual(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
  const row = page.locator(".message.notice").first();
  expect(await row.evaluate((each) => getComputedStyle(each).backgroundColor)).toBe("rgba(0, 0, 0, 0)");
  expect(height).toBe(room); // nothing of it scrolls

  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await expect.poll(() => rows(page)).toBeLessThan(50);
  await page.getByText(`notice ${NOTICES}`, { exact: true }).waitFor(); // still at its end
  expectNoFaults(page);
});

test("the menu prints all of a session, however far back it goes", async () => {
  const page = await open();
  await page.evaluate(() => {
    globalThis.print = () => {
      dispatchEvent(new Event("beforeprint"));
      document.title = `printed ${document.querySelectorAll(".log .message").length}`;
      dispatchEvent(new Event("afterprint"));
    };
  });
  await page.locator(".head").getByRole("button", { name: "Menu of On paper" }).click();
  await page.getByRole("menuitem", { name: "Print" }).click();
  await expect.poll(() => page.title()).toBe(`printed ${NOTICES + 3}`);
  expectNoFaults(page);
});

async function open(options = {}): Promise<WatchedPage> {
  const session = await visit.server.create("On paper");
  await visit.server.append(
    session,
    Array.from({ length: NOTICES }, (_, n): NewEvent => ({
      type: "notice",
      data: { level: "info", text: `notice ${n + 1}` },
    })),
  );
  const from = formatPosition(NOTICES + 2, 0);
  await visit.server.play(session, new Script("p").admit("go", "inp_1"));
  const work = new Script("p")
    .take("inp_1", from)
    .begin()
    .complete([text("Done.")])
    .end("completed");
  await visit.server.play(session, work);
  const page = await visit.open(`/sessions/${session}`, options);
  await page.getByText("Done.", { exact: true }).first().waitFor();
  return page;
}

function rows(page: WatchedPage): Promise<number> {
  return page.locator(".log .message").count();
}
