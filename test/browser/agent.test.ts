// A newcomer's first minutes: the real server with the demo model, in a real browser.
import { expect, test } from "vitest";
import { useServer } from "./visit.ts";
import { expectNoFaults, expectNoFaultsButDeaths, type WatchedPage } from "./watched-page.ts";

const visit = useServer({ config: '[profiles.default]\nsandbox = "none"\n' }); // so that commands are asked for

test("an approval is given in the page, survives a kill of the server, and the command runs once", async () => {
  const page = await begin("count to twenty");
  await page.getByText("Waits for your approval").waitFor();
  await visit.server.kill();
  await visit.server.start();
  await page.getByRole("button", { name: "Once", exact: true }).click();
  await page.getByText("It counted 20 ticks, from 1 to 20, each of them once.").waitFor({ timeout: 90_000 });
  expect(await page.getByText("Waits for your approval").count()).toBe(0);
  expectNoFaultsButDeaths(page);
});

test("a turn is stopped in the page, and the session goes on to be usable", async () => {
  const page = await begin("count to twenty");
  await page.getByRole("button", { name: "Once", exact: true }).click();
  await page.locator("pre.tail", { hasText: "tick 2" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("stopped").first().waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("ask me something");
  await page.keyboard.press("Enter");
  await page.getByText("Waits for your answer").waitFor();
  expectNoFaults(page);
});

async function begin(text: string): Promise<WatchedPage> {
  const page = await visit.open("/new");
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
  return page;
}
