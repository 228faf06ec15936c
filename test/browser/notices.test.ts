// What the page says when its server is another, away, full or no longer lets it in; and that nothing typed is lost by it.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "../chromium.ts";
import { startServer, type ServerProcess } from "../server-process.ts";
import { buildPage } from "./built-page.ts";
import {
  expectNoFaults,
  expectNoFaultsButDeaths,
  newPerson,
  newTab,
  type WatchedPage,
} from "./watched-page.ts";

let browser: Browser;
let server: ServerProcess;
let person: BrowserContext;

beforeAll(async () => {
  buildPage();
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  server = await startServer({ agents: false });
  person = await newPerson(browser);
});
afterEach(async () => {
  await person.close();
  await server.remove();
});

test("a server of another version offers a reload, forces none, and what was typed survives it", async () => {
  const session = await create("Upgraded");
  const page = await logIn();
  await sayHello(page, { version: "0.0.1-other", from: 2 });
  await page.goto(`${server.url}/sessions/${session}`);
  await composer(page).fill("half a thought");
  await server.kill();
  await server.start();
  await notice(page, "A new version is running").waitFor();
  expect(await composer(page).inputValue()).toBe("half a thought");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Upgraded" }).waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
  expect(await notice(page, "A new version").count()).toBe(0);
});

test("another store behind the same address is said, and what is there now is shown", async () => {
  const session = await create("Restored");
  const page = await logIn();
  await sayHello(page, { store: "sto_other", from: 2 });
  await page.goto(`${server.url}/sessions/${session}`);
  await page.getByRole("heading", { name: "Restored" }).waitFor();
  await server.kill();
  await server.start();
  await notice(page, "another store").waitFor();
  await page.getByRole("heading", { name: "Restored" }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect.poll(() => notice(page, "another store").count()).toBe(0);
});

test("a server that can't take anything in says why, until it can", async () => {
  const page = await logIn("/new");
  let isFull = true;
  const problem = { type: "urn:x", title: "Not ready", status: 503, code: "not_ready" };
  const full = { ...problem, detail: "no space left on the disk" };
  const answer = { status: 503, contentType: "application/problem+json", body: JSON.stringify(full) };
  const headers = { "retry-after": "1" };
  await page.route("**/readyz", (route) => (isFull ? route.fulfill(answer) : route.continue()));
  await page.route("**/api/sessions", (route) =>
    isFull && route.request().method() === "POST" ? route.fulfill({ ...answer, headers }) : route.continue(),
  );
  await composer(page).fill("into a full disk");
  await composer(page).press("Enter");
  await notice(page, "no space left on the disk").waitFor();
  isFull = false;
  await page.getByRole("heading", { name: "into a full disk" }).waitFor(); // the client kept trying
  await expect.poll(() => notice(page, "no space left").count(), { timeout: 20_000 }).toBe(0);
});

test("a server that is away is said with the time of what is shown, and the notice goes when it is back", async () => {
  const session = await create("Away");
  const page = await logIn(`/sessions/${session}`);
  await page.getByRole("heading", { name: "Away" }).waitFor();
  await server.kill();
  await notice(page, "The server can't be reached. What you see is from").waitFor();
  await server.start();
  await page.getByRole("button", { name: "Try now" }).first().click();
  await expect.poll(() => notice(page, "can't be reached").count()).toBe(0);
  await page.getByRole("heading", { name: "Away" }).waitFor();
  expectNoFaultsButDeaths(page);
});

test("who is logged out while a page is open comes back to it as it was, whatever was typed on it", async () => {
  const session = await create("Kept open");
  const page = await logIn(`/sessions/${session}`);
  await composer(page).fill("not sent yet");
  await page.getByRole("button", { name: "Kept open, rename" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("A better name");
  for (const { id } of (await call<{ items: { id: string }[] }>("GET", "/api/logins")).items)
    await server.fetch(`/api/logins/${id}`, { method: "DELETE" });
  await page.getByRole("heading", { name: "You were logged out" }).waitFor();
  expect(await page.getByText("Kept open").filter({ visible: true }).count()).toBe(0);
  await (await newTab(person, await loginLink())).waitForURL((url) => !url.pathname.startsWith("/login"));
  await page.getByRole("textbox", { name: "Title" }).waitFor(); // by itself
  expect(await page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("A better name");
  expect(await composer(page).inputValue()).toBe("not sent yet");
  expect(page.url()).toBe(`${server.url}/sessions/${session}`);
});

test("a login link opened in the tab that needs it leads back to where that tab was", async () => {
  const session = await create("Address kept");
  const page = await newTab(person, `${server.url}/sessions/${session}`);
  await page.getByText("holdfast login").waitFor();
  await page.goto(await loginLink());
  await page.getByRole("heading", { name: "Address kept" }).waitFor();
  expect(page.url()).toBe(`${server.url}/sessions/${session}`);
});

test("a new login link pasted over one that no longer works lets one in", async () => {
  const page = await newTab(person, `${server.url}/login#hf_spent`);
  await page.getByText("This link no longer works").waitFor();
  await page.goto(await loginLink()); // only its fragment differs
  await page.getByText("No session yet.").waitFor();
  expect(page.url()).toBe(`${server.url}/`);
});

test("opening the page anew leads to the session looked at last, unless that is gone", async () => {
  const session = await create("Looked at last");
  const page = await logIn(`/sessions/${session}`);
  await page.getByRole("heading", { name: "Looked at last" }).waitFor();
  await page.getByRole("link", { name: "Holdfast, all sessions" }).click();
  await page.waitForURL(`${server.url}/`); // a link within the page means the list
  const again = await newTab(person, server.url);
  await again.getByRole("heading", { name: "Looked at last" }).waitFor();
  await server.fetch(`/api/sessions/${session}`, { method: "DELETE" });
  const gone = await newTab(person, server.url);
  await gone.waitForURL(`${server.url}/`);
  await gone.getByText("No session yet.").waitFor();
  expectNoFaults(gone);
});

test("an address that leads nowhere offers ways on, and gives back what was typed in a session that is gone", async () => {
  const session = await create("To be deleted");
  const near = await create("Nearly meant");
  const page = await logIn(`/sessions/${session}`);
  await composer(page).fill("unsent words");
  await server.fetch(`/api/sessions/${session}`, { method: "DELETE" });
  await page.getByRole("heading", { name: "There is no such session" }).waitFor();
  expect(await page.getByLabel("What you had typed there and not sent").inputValue()).toBe("unsent words");
  await page.goto(`${server.url}/sessions/${near.slice(0, -2)}`);
  await page.getByRole("main").getByRole("link", { name: "Nearly meant" }).click();
  await page.getByRole("heading", { name: "Nearly meant" }).waitFor();
  await page.goto(`${server.url}/nowhere`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Go to the sessions" }).click();
  await page.waitForURL(`${server.url}/`);
  expectNoFaults(page);
});

test("the page can be installed, and without its server it says so, then gives way to it by itself", async () => {
  await person.close();
  person = await newPerson(browser, { worker: true });
  const page = await logIn();
  const manifest = await fetch(`${server.url}/manifest.webmanifest`);
  expect(manifest.headers.get("content-type")).toBe("application/manifest+json");
  const { icons } = (await manifest.json()) as { icons: { src: string; sizes: string }[] };
  expect(icons.map(({ sizes }) => sizes)).toEqual(["192x192", "512x512", "512x512"]);
  for (const { src } of icons)
    expect((await fetch(server.url + src)).headers.get("content-type")).toBe("image/png");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await server.kill();
  await page.goto(`${server.url}/search?q=kept`);
  await page.getByRole("heading", { name: "Holdfast can't be reached" }).waitFor();
  const kept = await page.evaluate(async () => {
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    const requests = (await Promise.all(caches.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => new URL(url).pathname);
  });
  expect(kept.toSorted()).toEqual(["/icon.svg", "/offline.css", "/offline.html", "/offline.js", "/theme.js"]);
  await server.start();
  await page.getByRole("heading", { name: "Search" }).waitFor();
  expect(page.url()).toBe(`${server.url}/search?q=kept`);
  expectNoFaultsButDeaths(page);
});

/** The server's own greeting, changed on its way from the nth connection of each page on. */
async function sayHello(
  page: WatchedPage,
  { from, ...changes }: { version?: string; store?: string; from: number },
): Promise<void> {
  let connections = 0;
  let document = "";
  await page.routeWebSocket("**/api/ws", (socket) => {
    const isNew = document !== socket.url() + page.url();
    document = socket.url() + page.url();
    connections = isNew ? 1 : connections + 1;
    const nth = connections;
    const real = socket.connectToServer();
    real.onMessage((text) => {
      const isHello = nth >= from && String(text).includes('"op":"hello"');
      socket.send(isHello ? JSON.stringify({ ...(JSON.parse(String(text)) as object), ...changes }) : text);
    });
  });
}

function notice(page: WatchedPage, text: string) {
  return page.getByRole("region", { name: "Notices" }).getByText(text);
}

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}

async function loginLink(): Promise<string> {
  return (await call<{ url: string }>("POST", "/api/login-links")).url;
}

async function logIn(path = "/"): Promise<WatchedPage> {
  const page = await newTab(person, await loginLink());
  await page.waitForURL(`${server.url}/`);
  if (path !== "/") await page.goto(server.url + path);
  await page.getByText("connected", { exact: true }).first().waitFor({ state: "attached" });
  return page;
}

async function create(title: string): Promise<string> {
  return (await call<{ id: string }>("POST", "/api/sessions", { title })).id;
}

async function call<T>(method: string, path: string, json?: unknown): Promise<T> {
  const response = await server.fetch(path, {
    method,
    ...(json !== undefined && {
      body: JSON.stringify(json),
      headers: { "content-type": "application/json" },
    }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
