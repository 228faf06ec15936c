// Where an address leads, and how sessions lead to each other, in a real browser.
import { beforeEach, expect, test } from "vitest";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, expectNoFaultsButDeaths } from "./watched-page.ts";

const visit = useScriptedServer();
let first: string;
let second: string;

beforeEach(async () => {
  first = await visit.server.create("The first");
  second = await visit.server.create("The second");
});

test("reopening the address of the dashboard leads to the session that was looked at last, and Back leads out of it", async () => {
  const page = await visit.open();
  await page.goto(`${visit.server.url}/settings`);
  await page.getByRole("link", { name: /The first/ }).click();
  await page.getByRole("heading", { name: "The first" }).waitFor();
  await page.goto(`${visit.server.url}/`);
  await page.getByRole("heading", { name: "The first" }).waitFor();
  expect(page.url()).toBe(`${visit.server.url}/sessions/${first}`);
  await page.goBack(); // to the same session, as it was opened by hand
  await page.goBack();
  await page.waitForURL(`${visit.server.url}/settings`);
  expectNoFaults(page);
});

test("on a phone the list is one step away from the session that was reopened", async () => {
  const page = await visit.open("/", { width: 390, height: 800 });
  await page.getByRole("link", { name: /The second/ }).click();
  await page.getByRole("heading", { name: "The second" }).waitFor();
  await page.goto(`${visit.server.url}/`);
  await page.getByRole("heading", { name: "The second" }).waitFor();
  await page.getByRole("link", { name: "All sessions" }).click();
  await page.getByRole("link", { name: /The first/ }).waitFor();
  expect(page.url()).toBe(`${visit.server.url}/`);
  expectNoFaults(page);
});

test("a session that is continued elsewhere says so at once and leads there", async () => {
  const page = await visit.open();
  await page.getByRole("link", { name: /The first/ }).click();
  await page.getByRole("heading", { name: "The first" }).waitFor();
  await visit.server.append(first, [
    { type: "session_ended", data: { reason: "continued", successor: second } },
  ]);
  const lineage = page.getByRole("navigation", { name: "Lineage" });
  await lineage.getByText("continued in").waitFor();
  await lineage.getByRole("link", { name: "The second" }).click();
  await page.getByRole("heading", { name: "The second" }).waitFor();
  expect(await lineage.count()).toBe(0);
  expectNoFaults(page);
});

test("a lost connection says when it is tried again, and can be told to try at once", async () => {
  const page = await visit.open();
  await page.clock.install();
  await page.reload();
  const pill = page.locator(".connection").first();
  await pill.getByText("connected", { exact: true }).waitFor();
  await visit.server.kill();
  // After some failures it waits for seconds, and then time stands still: it would never try by itself.
  await expect
    .poll(async () => {
      await page.clock.fastForward(500);
      return pill.textContent();
    })
    .toMatch(/reconnecting in [5-9] s/);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1));
  await visit.server.start();
  await visit.server.listen();
  await pill.getByRole("button", { name: "Try now" }).click();
  await page.clock.runFor(1000);
  await pill.getByText("connected", { exact: true }).waitFor();
  expect(await pill.getByRole("button").count()).toBe(0);
  expectNoFaultsButDeaths(page);
});
