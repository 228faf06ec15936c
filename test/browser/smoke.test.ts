// The page in a real browser, on a real server that is a process of its own.
import { expect, test } from "vitest";
import type { AnyEvent } from "../../src/session/event.ts";
import { expectEveryFactOnce, readLog } from "../seen-facts.ts";
import { useServer } from "./visit.ts";
import {
  expectNoFaults,
  expectNoFaultsButDeaths,
  newPerson,
  newTab,
  type WatchedPage,
} from "./watched-page.ts";

const visit = useServer({ agents: false });

test("a login link lets a browser in, and its secret leaves the address bar", async () => {
  const page = await newTab(visit.person, await visit.loginLink());
  await page.getByText("No session yet.").waitFor();
  expect(page.url()).toBe(`${visit.server.url}/`);
  await page.getByText("connected", { exact: true }).first().waitFor();
  expectNoFaults(page);
});

test("a login link works once; the second browser is told how to get another", async () => {
  const link = await visit.loginLink();
  await (await newTab(visit.person, link)).getByText("No session yet.").waitFor();
  const other = await newPerson(visit.browser);
  const page = await newTab(other, link);
  await page.getByText("This link no longer works").waitFor();
  await page.getByText("holdfast login").waitFor();
  expect(page.url()).toBe(`${visit.server.url}/login`);
  expectNoFaults(page, /401/);
  await other.close();
});

test("an old link opened in a browser that is logged in leads to the sessions", async () => {
  const link = await visit.loginLink();
  await (await newTab(visit.person, link)).getByText("No session yet.").waitFor();
  const page = await newTab(visit.person, link);
  await page.getByText("No session yet.").waitFor();
  expect(page.url()).toBe(`${visit.server.url}/`);
});

test("who is not logged in is told how, and then comes back to the same address", async () => {
  const session = await visit.create("Kept address");
  const page = await newTab(visit.person, `${visit.server.url}/sessions/${session}`);
  await page.getByText("holdfast login").waitFor();
  await (await newTab(visit.person, await visit.loginLink())).getByText("Kept address").first().waitFor();
  await page.getByRole("heading", { name: "Kept address" }).waitFor(); // by itself
  expect(page.url()).toBe(`${visit.server.url}/sessions/${session}`);
  expectNoFaults(page, /401|WebSocket/);
});

test("logging out ends this browser's access, and no one else's", async () => {
  const page = await visit.open();
  const other = await newPerson(visit.browser);
  const elsewhere = await newTab(other, await visit.loginLink());
  await elsewhere.getByText("No session yet.").waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("holdfast login").waitFor();
  await page.reload();
  await page.getByText("holdfast login").waitFor();
  await visit.create("Still seen");
  await row(elsewhere, "Still seen").waitFor();
  expect(await page.getByText("Still seen").count()).toBe(0);
  await other.close();
});

test("the theme is the system's until one is chosen, and the choice stays", async () => {
  const page = await visit.open();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(background).not.toBe(light);
  await page.getByRole("combobox", { name: "Theme" }).selectOption("light");
  await expect.poll(background).toBe(light);
  await page.reload();
  await page.getByText("connected", { exact: true }).first().waitFor();
  expect(await background()).toBe(light);
  expectNoFaults(page);
});

test("the list shows a session as soon as someone else creates it, and its new title", async () => {
  const page = await visit.open();
  const session = await visit.create("Made elsewhere");
  await row(page, "Made elsewhere").waitFor();
  await visit.call("PATCH", `/api/sessions/${session}`, { title: "Named elsewhere" });
  await row(page, "Named elsewhere").waitFor();
  expect(await row(page, "Made elsewhere").count()).toBe(0);
  expectNoFaults(page);
});

test("a session begins with what is typed, under its first line, and Back leads to where one was", async () => {
  const page = await visit.open();
  await page.getByRole("link", { name: "New session" }).click();
  await composer(page).fill("Count the herons\nat the pond");
  await composer(page).press("Enter");
  await page.getByRole("heading", { name: "Count the herons" }).waitFor();
  await waiting(page).filter({ hasText: "Count the herons at the pond" }).waitFor();
  expect(page.url()).toContain("/sessions/ses_");
  await page.goBack();
  await page.waitForURL(`${visit.server.url}/`);
  await page.goForward();
  await page.getByRole("heading", { name: "Count the herons" }).waitFor();
  expectNoFaults(page);
});

test("Enter sends, Shift+Enter breaks the line, and every tab shows the same", async () => {
  const session = await visit.create("Two tabs");
  const first = await visit.open(`/sessions/${session}`);
  const second = await newTab(visit.person, `${visit.server.url}/sessions/${session}`);
  await composer(first).pressSequentially("one");
  await composer(first).press("Shift+Enter");
  await composer(first).pressSequentially("two");
  await composer(first).press("Enter");
  await waiting(second).getByText("one\ntwo").waitFor();
  expect(await composer(first).inputValue()).toBe("");
  await composer(second).fill("three");
  await second.getByRole("button", { name: "Send" }).click();
  await waiting(first).getByText("three").waitFor();
  for (const page of [first, second]) {
    expect(await waitingTexts(page)).toEqual(["one\ntwo", "three"]);
    expectNoFaults(page);
  }
});

test("what is typed and not sent is there again after a reload, for its own session only", async () => {
  const [a, b] = [await visit.create("A"), await visit.create("B")];
  const page = await visit.open(`/sessions/${a}`);
  await composer(page).fill("half a thought");
  await page.reload();
  await page.getByRole("heading", { name: "A" }).waitFor();
  expect(await composer(page).inputValue()).toBe("half a thought");
  await page.goto(`${visit.server.url}/sessions/${b}`);
  await page.getByRole("heading", { name: "B" }).waitFor();
  expect(await composer(page).inputValue()).toBe("");
});

test("a send that the server refuses gives the text back and says why", async () => {
  const session = await visit.create("Refused");
  const page = await visit.open(`/sessions/${session}`);
  const detail = "This session takes nothing more today.";
  await page.route("**/inputs", (route) =>
    route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      body: JSON.stringify({ type: "urn:x", title: "No", status: 409, code: "conflict", detail }),
    }),
  );
  await composer(page).fill("please");
  await composer(page).press("Enter");
  await page.getByRole("alert").filter({ hasText: detail }).waitFor();
  expect(await composer(page).inputValue()).toBe("please");
});

test("a session is renamed in place, and Escape changes nothing", async () => {
  const session = await visit.create("Before");
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("button", { name: "Before, rename" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Never");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Before, rename" }).press("Enter");
  await page.getByRole("textbox", { name: "Title" }).fill("After");
  await page.keyboard.press("Enter");
  await row(page, "After").waitFor();
  expect(await page.getByRole("heading").allTextContents()).toEqual(["After"]);
  expectNoFaults(page);
});

test("search reaches into what was said and leads to its session", async () => {
  const session = await visit.create("Found by its content");
  await send(session, "the heron stands in the reeds");
  const page = await visit.open("/search");
  await page.getByRole("searchbox").fill("reeds");
  await page.getByRole("link", { name: /the heron stands in the reeds/ }).click();
  await page.getByRole("heading", { name: "Found by its content" }).waitFor();
  expect(page.url()).toContain(session);
  expectNoFaults(page);
});

test("a session that is not there is said not to be there, also when it goes while it is open", async () => {
  const page = await visit.open("/sessions/ses_nothing");
  await page.getByText("There is no such session").waitFor();
  const session = await visit.create("Soon gone");
  await row(page, "Soon gone").click();
  await page.getByRole("heading", { name: "Soon gone" }).waitFor();
  await visit.call("DELETE", `/api/sessions/${session}`);
  await page.getByText("There is no such session").waitFor();
  await expect.poll(() => row(page, "Soon gone").count()).toBe(0);
  expectNoFaults(page, /status of 404/); // the answer to what had arrived, but only after the session went
});

test("how far someone has read is not told to a session that went meanwhile", async () => {
  const session = await visit.create("Soon gone");
  const [onItsWay, isGone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const page = await visit.open();
  await page.route("**/seen", async (route) => {
    onItsWay.resolve();
    await isGone.promise;
    await route.continue();
  });
  const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/seen"));
  await row(page, "Soon gone").click();
  await onItsWay.promise;
  await visit.call("DELETE", `/api/sessions/${session}`);
  await page.getByText("There is no such session").waitFor();
  await ended;
  isGone.resolve();
  expectNoFaults(page);
});

test("after kill -9 and restart the page comes back by itself and shows everything exactly once", async () => {
  const session = await visit.create("Through a kill");
  const page = await visit.open(`/sessions/${session}`);
  await send(session, "before");
  await waiting(page).getByText("before").waitFor();
  await visit.server.kill("SIGKILL");
  await page
    .getByText(/^reconnecting/)
    .first()
    .waitFor();
  expect(await waitingTexts(page)).toEqual(["before"]); // what is shown stays while the server is away
  await page.getByRole("button", { name: "Try now" }).first().waitFor();
  expect(
    await page.locator(".sidebar > header").evaluate((header) => header.scrollWidth - header.clientWidth),
  ).toBe(0);
  await visit.server.start();
  await send(session, "after");
  await waiting(page).getByText("after").waitFor();
  await page.getByText("connected", { exact: true }).first().waitFor();
  expect(await waitingTexts(page)).toEqual(["before", "after"]);
  expectNoFaultsButDeaths(page);
});

test("a prompt that is sent while the server is away arrives once it is back, once", async () => {
  const session = await visit.create("Sent into the dark");
  const page = await visit.open(`/sessions/${session}`);
  await composer(page).waitFor();
  await visit.server.kill("SIGKILL");
  await composer(page).fill("are you there?");
  await composer(page).press("Enter");
  await page.getByText("sending…").waitFor();
  await visit.server.start();
  await page.getByText("waiting for its turn").waitFor();
  expect(await waitingTexts(page)).toEqual(["are you there?"]);
  const log = await readLog(visit.server, session);
  expect(log.filter(({ type }) => type === "input_admitted")).toHaveLength(1);
  expectNoFaultsButDeaths(page);
});

test("a bare EventSource in the page follows a log through kill -9 and sees every fact once, in order", async () => {
  const session = await visit.create("For strangers");
  const page = await visit.open();
  await page.evaluate((path) => {
    const seen: unknown[] = [];
    const source = new EventSource(path);
    source.addEventListener("data", (event) => seen.push(...(JSON.parse(event.data as string) as unknown[])));
    Object.assign(window, { seen, source });
  }, `/api/sessions/${session}/events?offset=-1&live=sse`);
  const seen = () => page.evaluate(() => (window as unknown as { seen: AnyEvent[] }).seen);
  await expect.poll(async () => (await seen()).length).toBe(1); // it follows before the first kill
  for (let kill = 0; kill < 3; kill++) {
    for (let n = 0; n < 5; n++) await send(session, `${kill}.${n}`);
    await visit.server.kill("SIGKILL");
    await visit.server.start();
  }
  await send(session, "the last");
  const log = await readLog(visit.server, session);
  expect(log).toHaveLength(17);
  await expect
    .poll(async () => (await seen()).length, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(log.length);
  expectEveryFactOnce(await seen(), log);
  expectNoFaultsButDeaths(page);
});

test("at 390 px the list and a session each fill the page, and nothing sticks out sideways", async () => {
  const session = await visit.create(
    "A title that is rather longer than any phone is wide, and then some more",
  );
  await send(session, `${"unbroken".repeat(40)} and some words`);
  const page = await visit.open("/", { width: 390, height: 844, dark: true });
  await row(page, "A title").waitFor();
  expect(await composer(page).isVisible()).toBe(false);
  expect(await sideways(page)).toBe(0);
  await row(page, "A title").click();
  await waiting(page).getByText("and some words").waitFor();
  expect(await page.getByRole("button", { name: "Search or jump to" }).isVisible()).toBe(false);
  expect(await sideways(page)).toBe(0);
  await page.getByRole("link", { name: "All sessions" }).click();
  await row(page, "A title").waitFor();
  expectNoFaults(page);
});

async function send(session: string, text: string): Promise<void> {
  await visit.call("POST", `/api/sessions/${session}/inputs`, { kind: "prompt", text });
}

function row(page: WatchedPage, title: string) {
  return page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: title });
}

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}

function waiting(page: WatchedPage) {
  return page.getByRole("list", { name: "Waiting inputs" });
}

function waitingTexts(page: WatchedPage): Promise<string[]> {
  return waiting(page).locator("li .text").allTextContents();
}

/** By how many pixels something is wider than the page. */
function sideways(page: WatchedPage): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
