// What waits for an agent, in a real browser: on a server whose executor takes nothing up.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { launchChromium } from "../chromium.ts";
import { startScriptedServer, type ScriptedServer } from "../scripted-server.ts";
import { buildPage } from "./built-page.ts";
import { expectNoFaults, newPerson, newTab, type PageOptions, type WatchedPage } from "./watched-page.ts";

let browser: Browser;
let server: ScriptedServer;
let person: BrowserContext | undefined;
let session: string;

beforeAll(async () => {
  buildPage();
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  server = await startScriptedServer();
  await server.listen();
  session = await server.create("A long queue");
});
afterEach(async () => {
  await person?.close();
  await server.remove();
});

test.each([
  ["wide", { width: 1280, height: 800 }],
  ["phone's", { width: 390, height: 844 }],
])("with fifty inputs waiting the composer stays in a %s window", async (_, size) => {
  await server.append(
    session,
    Array.from({ length: 49 }, (__, n) => admitted(n + 1, `input ${n + 1}`)),
    "owner",
  );
  const page = await open(size);
  await waiting(page).getByText("input 49").waitFor();
  expect(
    await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight),
  ).toBe(0);
  const composer = page.getByRole("textbox", { name: "Message" });
  const box = await composer.boundingBox();
  expect(box!.y + box!.height).toBeLessThan(size.height);

  // The newest is in view, and the oldest is reached without a mouse.
  await expect.poll(() => isInView(page, "input 49")).toBe(true);
  await server.append(session, [admitted(50, "input 50")], "owner");
  await expect.poll(() => isInView(page, "input 50")).toBe(true);
  expect(await isInView(page, "input 1")).toBe(false);
  await composer.focus();
  await page.keyboard.press("Shift+Tab");
  expect(await waiting(page).evaluate((list) => list.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Home");
  await expect.poll(() => isInView(page, "input 1")).toBe(true);
  expectNoFaults(page);
});

test("a steer and what goes at once are told apart from what waits for its turn", async () => {
  await server.append(
    session,
    [
      admitted(1, "in line"),
      admitted(2, "a little to the left", { kind: "steer" }),
      admitted(3, "drop it", { delivery: "now" }),
    ],
    "owner",
  );
  const page = await open();
  const noteOf = (text: string) =>
    waiting(page).getByRole("listitem").filter({ hasText: text }).locator(".note").textContent();
  expect(await noteOf("in line")).toBe("waiting for its turn");
  expect(await noteOf("a little to the left")).toBe("steers at the next step");
  expect(await noteOf("drop it")).toBe("goes first, at once");
  expectNoFaults(page);
});

test("a pinned session is marked in the list, until it is unpinned", async () => {
  await pin(true);
  const page = await open();
  const row = page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: "A long queue" });
  await row.getByText("★").waitFor();
  expect(await row.getByText("pinned:").count()).toBe(1); // in words too, for who does not see the mark
  await pin(false);
  await expect.poll(() => row.getByText("★").count()).toBe(0);
  expectNoFaults(page);
});

async function open(size: PageOptions = {}): Promise<WatchedPage> {
  person = await newPerson(browser, size);
  const page = await newTab(person, await server.loginLink());
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/sessions/${session}`);
  await page.getByRole("heading", { name: "A long queue" }).waitFor();
  return page;
}

function admitted(n: number, text: string, more: { kind?: "steer"; delivery?: "now" } = {}): NewEvent {
  return { type: "input_admitted", data: { input: `inp_${n}`, kind: "prompt", text, ...more } };
}

function waiting(page: WatchedPage) {
  return page.getByRole("list", { name: "Waiting inputs" });
}

function isInView(page: WatchedPage, text: string): Promise<boolean> {
  return waiting(page).evaluate((list, wanted) => {
    const row = [...list.children].find((child) => child.querySelector(".text")?.textContent === wanted);
    const [frame, place] = [list.getBoundingClientRect(), row?.getBoundingClientRect()];
    return place !== undefined && place.top >= frame.top - 1 && place.bottom <= frame.bottom + 1;
  }, text);
}

async function pin(pinned: boolean): Promise<void> {
  const answer = await server.fetch(`/api/sessions/${session}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pinned }),
  });
  expect(answer.status).toBe(200);
}
