// What the page says when its server is another, away, full or no longer lets it in; and that nothing typed is lost by it.
import { expect, test } from "vitest";
import { useServer } from "./visit.ts";
import { expectNoFaults, expectNoFaultsButDeaths, newTab, type WatchedPage } from "./watched-page.ts";

const visit = useServer({ agents: false });

test("a server of another version offers a reload, forces none, and what was typed survives it", async () => {
  const session = await visit.create("Upgraded");
  const page = await visit.open();
  await sayHello(page, { version: "0.0.1-other", from: 2 });
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await composer(page).fill("half a thought");
  await visit.server.kill();
  await visit.server.start();
  await notice(page, "A new version is running").waitFor();
  expect(await composer(page).inputValue()).toBe("half a thought");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Upgraded" }).waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
  expect(await notice(page, "A new version").count()).toBe(0);
});

test("another store behind the same address is said, and what is there now is shown", async () => {
  const session = await visit.create("Restored");
  const page = await visit.open();
  await sayHello(page, { store: "sto_other", from: 2 });
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await page.getByRole("heading", { name: "Restored" }).waitFor();
  await visit.server.kill();
  await visit.server.start();
  await notice(page, "another store").waitFor();
  await page.getByRole("heading", { name: "Restored" }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect.poll(() => notice(page, "another store").count()).toBe(0);
});

test("a server that can't take anything in says why, until it can", async () => {
  const page = await visit.open("/new");
  let isFull = true;
  const problem = { type: "urn:x", title: "Not ready", status: 503, code: "not_ready" };
  const full = { ...problem, detail: "no space left on the disk" };
  const answer = { status: 503, contentType: "application/problem+json", body: JSON.stringify(full) };
  const headers = { "retry-after": "1" };
  await page.route("**/readyz", (route) => (isFull ? route.fulfill(answer) : route.continue()));
  await page.route("**/api/sessions", (route) =>
    isFull && route.request().method() === "POST" ? route.fulfill({ ...answer, headers }) : route.continue(),
  );
  await page.clock.install(); // the page looks again every few seconds
  await composer(page).fill("into a full disk");
  await composer(page).press("Enter");
  await notice(page, "no space left on the disk").waitFor();
  isFull = false;
  await expect
    .poll(async () => {
      await page.clock.fastForward(1_000);
      return notice(page, "no space left").count();
    })
    .toBe(0);
  await page.getByRole("heading", { name: "into a full disk" }).waitFor(); // the client kept trying
});

test("a server that is away is said with the time of what is shown, and the notice goes when it is back", async () => {
  const session = await visit.create("Away");
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("heading", { name: "Away" }).waitFor();
  await page.clock.install();
  await visit.server.kill();
  await page
    .getByText(/^reconnecting/)
    .first()
    .waitFor();
  await page.clock.fastForward(5_000); // a server that starts anew is back by then, and nothing is said
  await notice(page, "The server can't be reached. What you see is from").waitFor();
  await page.getByRole("button", { name: "Try now" }).first().waitFor();
  await visit.server.start();
  await tryNow(page);
  await expect.poll(() => notice(page, "can't be reached").count()).toBe(0);
  await page.getByRole("heading", { name: "Away" }).waitFor();
  expectNoFaultsButDeaths(page);
});

test("who is logged out while a page is open comes back to it as it was, whatever was typed on it", async () => {
  const session = await visit.create("Kept open");
  const page = await visit.open(`/sessions/${session}`);
  await composer(page).fill("not sent yet");
  await page.getByRole("button", { name: "Kept open, rename" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("A better name");
  for (const { id } of (await visit.call<{ items: { id: string }[] }>("GET", "/api/logins")).items)
    await visit.server.fetch(`/api/logins/${id}`, { method: "DELETE" });
  await page.getByRole("heading", { name: "You were logged out" }).waitFor();
  expect(await page.getByText("Kept open").filter({ visible: true }).count()).toBe(0);
  await (
    await newTab(visit.person, await visit.loginLink())
  ).waitForURL((url) => !url.pathname.startsWith("/login"));
  await page.getByRole("textbox", { name: "Title" }).waitFor(); // by itself
  expect(await page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("A better name");
  expect(await composer(page).inputValue()).toBe("not sent yet");
  expect(page.url()).toBe(`${visit.server.url}/sessions/${session}`);
});

test("a login link opened in the tab that needs it leads back to where that tab was", async () => {
  const session = await visit.create("Address kept");
  const page = await newTab(visit.person, `${visit.server.url}/sessions/${session}`);
  await page.getByText("holdfast login").waitFor();
  await page.goto(await visit.loginLink());
  await page.getByRole("heading", { name: "Address kept" }).waitFor();
  expect(page.url()).toBe(`${visit.server.url}/sessions/${session}`);
});

test("a new login link pasted over one that no longer works lets one in", async () => {
  const page = await newTab(visit.person, `${visit.server.url}/login#hf_spent`);
  await page.getByText("This link no longer works").waitFor();
  await page.goto(await visit.loginLink()); // only its fragment differs
  await page.getByText("No session yet.").waitFor();
  expect(page.url()).toBe(`${visit.server.url}/`);
});

test("opening the page anew leads to the session looked at last, unless that is gone", async () => {
  const session = await visit.create("Looked at last");
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("heading", { name: "Looked at last" }).waitFor();
  await page.getByRole("link", { name: "Holdfast, all sessions" }).click();
  await page.waitForURL(`${visit.server.url}/`); // a link within the page means the list
  const again = await newTab(visit.person, visit.server.url);
  await again.getByRole("heading", { name: "Looked at last" }).waitFor();
  await visit.server.fetch(`/api/sessions/${session}`, { method: "DELETE" });
  const gone = await newTab(visit.person, visit.server.url);
  await gone.waitForURL(`${visit.server.url}/`);
  await gone.getByText("No session yet.").waitFor();
  expectNoFaults(gone);
});

test("an address that leads nowhere offers ways on, and gives back what was typed in a session that is gone", async () => {
  const session = await visit.create("To be deleted");
  const near = await visit.create("Nearly meant");
  const page = await visit.open(`/sessions/${session}`);
  await composer(page).fill("unsent words");
  await visit.server.fetch(`/api/sessions/${session}`, { method: "DELETE" });
  await page.getByRole("heading", { name: "There is no such session" }).waitFor();
  expect(await page.getByLabel("What you had typed there and not sent").inputValue()).toBe("unsent words");
  await page.goto(`${visit.server.url}/sessions/${near.slice(0, -2)}`);
  await page.getByRole("main").getByRole("link", { name: "Nearly meant" }).click();
  await page.getByRole("heading", { name: "Nearly meant" }).waitFor();
  await page.goto(`${visit.server.url}/nowhere`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Go to the sessions" }).click();
  await page.waitForURL(`${visit.server.url}/`);
  expectNoFaults(page);
});

test("the page can be installed, and without its server it says so, then gives way to it by itself", async () => {
  const page = await visit.open("/", { worker: true });
  const manifest = await fetch(`${visit.server.url}/manifest.webmanifest`);
  expect(manifest.headers.get("content-type")).toBe("application/manifest+json");
  const { icons } = (await manifest.json()) as { icons: { src: string; sizes: string }[] };
  expect(icons.map(({ sizes }) => sizes)).toEqual(["192x192", "512x512", "512x512"]);
  for (const { src } of icons)
    expect((await fetch(visit.server.url + src)).headers.get("content-type")).toBe("image/png");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await visit.server.kill();
  await page.goto(`${visit.server.url}/search?q=kept`);
  await page.getByRole("heading", { name: "Holdfast can't be reached" }).waitFor();
  const kept = await page.evaluate(async () => {
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    const requests = (await Promise.all(caches.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => new URL(url).pathname);
  });
  expect(kept.toSorted()).toEqual(["/icon.svg", "/offline.css", "/offline.html", "/offline.js", "/theme.js"]);
  await visit.server.start();
  await page.getByRole("heading", { name: "Search" }).waitFor();
  expect(page.url()).toBe(`${visit.server.url}/search?q=kept`);
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

/** Unless the page has found its server again by itself. */
function tryNow(page: WatchedPage): Promise<void> {
  return page.evaluate(() => {
    const buttons = Array.from(document.querySelectorAll("button"));
    buttons.find((button) => button.textContent === "Try now")?.click();
  });
}

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}
