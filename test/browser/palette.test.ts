// The command palette and the search page, on a real server: jump, run, find.
import { expect, test } from "vitest";
import { useServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useServer({ agents: false });

test("Ctrl+K opens it while typing, a few letters and Enter jump to a session, and the typed text stays", async () => {
  const [from] = [await visit.create("Where one was"), await visit.create("Migrate billing to events")];
  const page = await visit.open(`/sessions/${from}`);
  await composer(page).fill("half a thought");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("mbe");
  await option(page, "Migrate billing to events").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Migrate billing to events" }).waitFor();
  expect(await palette(page).isVisible()).toBe(false);
  await page.goBack();
  expect(await composer(page).inputValue()).toBe("half a thought");
  expectNoFaults(page);
});

test("arrows choose, the field says which is chosen, Escape changes nothing and gives the focus back", async () => {
  await visit.create("Alpha heron");
  await visit.create("Beta heron");
  const page = await visit.open("/new");
  await composer(page).focus();
  await page.keyboard.press("Control+k");
  await field(page).fill("heron");
  const chosen = async () => {
    const id = (await field(page).getAttribute("aria-activedescendant")) ?? "";
    const isSelected = (await page.locator(`[id="${id}"]`).getAttribute("aria-selected")) === "true";
    return isSelected ? page.locator(`[id="${id}"] .title`).textContent() : undefined;
  };
  await expect.poll(chosen).toBe("Beta heron");
  await page.keyboard.press("ArrowDown");
  await expect.poll(chosen).toBe("Alpha heron");
  await page.keyboard.press("ArrowUp");
  await expect.poll(chosen).toBe("Beta heron");
  await page.keyboard.press("Escape");
  await expect.poll(() => palette(page).isVisible()).toBe(false);
  expect(await composer(page).evaluate((element) => element === document.activeElement)).toBe(true);
  expect(page.url()).toBe(`${visit.server.url}/new`);
});

test("commands fit where one is: a session is renamed, pinned and forked from it, elsewhere they are not offered", async () => {
  const session = await visit.create("Before");
  const page = await visit.open(`/sessions/${session}`);
  await run(page, "rename");
  await page.getByLabel("New title").fill("After");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "After" }).waitFor();
  await run(page, "pin this");
  await expect.poll(async () => (await row(session))["pinned"]).toBe(true);
  await run(page, "fork");
  await page.waitForURL((url) => url.pathname.startsWith("/sessions/") && !url.pathname.endsWith(session));
  await page.goto(`${visit.server.url}/new`);
  await page.keyboard.press("Control+k");
  await field(page).fill("rename");
  await page.getByRole("option", { name: /^Search for/ }).waitFor();
  expect(await option(page, "Rename this session").count()).toBe(0);
});

test("a command that the server refuses says so and leaves what was typed", async () => {
  const session = await visit.create("Refusing");
  const page = await visit.open(`/sessions/${session}`);
  await page.route(`**/api/sessions/${session}`, async (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    const detail = "No title today.";
    const problem = { type: "urn:x", title: "No", status: 409, code: "conflict", detail };
    return route.fulfill({
      status: 409,
      contentType: "application/problem+json",
      body: JSON.stringify(problem),
    });
  });
  await run(page, "rename");
  await page.getByLabel("New title").fill("Another");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "No title today." }).waitFor();
  expect(await page.getByLabel("New title").inputValue()).toBe("Another");
});

test("what was said is found as one types, and Enter leads to its place in its session", async () => {
  const session = await visit.create("Birds");
  await send(session, "the heron stands in the reeds");
  const page = await visit.open();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("reeds");
  await page.getByRole("option").filter({ hasText: "the heron stands in the reeds" }).click();
  await page.getByRole("heading", { name: "Birds" }).waitFor();
  expect(page.url()).toMatch(new RegExp(`${session}#\\d{16}_\\d{16}$`));
  expectNoFaults(page);
});

test("the search page keeps its words in the address, marks them, and shows all pages", async () => {
  const session = await visit.create("Many");
  for (let n = 1; n <= 35; n++) await send(session, `needle number ${n}`);
  const page = await visit.open("/search?q=needle");
  const hits = page.getByRole("list", { name: "Search results" }).getByRole("listitem");
  await expect.poll(() => hits.count()).toBe(30);
  expect(await hits.first().locator("mark").allTextContents()).toEqual(["needle"]);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => hits.count()).toBe(35);
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  await page.getByRole("searchbox", { name: "Search all sessions" }).last().fill("needle 17");
  await expect.poll(() => hits.count()).toBe(1);
  expect(page.url()).toBe(`${visit.server.url}/search?q=needle+17`);
  await hits.getByRole("link").click();
  await page.getByRole("heading", { name: "Many" }).waitFor();
  await page.goBack();
  await expect.poll(() => hits.count()).toBe(1); // as it was left
  expectNoFaults(page);
});

test("a search that fails says so and can be tried again", async () => {
  await visit.create("Once lost");
  const page = await visit.open("/search");
  let isDown = true;
  await page.route("**/api/search?*", (route) => (isDown ? route.fulfill(refusal) : route.continue()));
  await page.getByRole("searchbox", { name: "Search all sessions" }).last().fill("lost");
  await page.getByText("No search today.").waitFor();
  isDown = false;
  await page.getByRole("button", { name: "Try again" }).click();
  const hits = page.getByRole("list", { name: "Search results" }).getByRole("listitem");
  await expect.poll(() => hits.filter({ hasText: "Once lost" }).count()).toBe(1);
});

test("all shortcuts are listed, and at 390 px the palette fits and takes a tap", async () => {
  await visit.create("Tapped");
  const page = await visit.open("/", { width: 390, height: 844, touch: true });
  await page.keyboard.press("Control+/");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("New session").waitFor();
  await page.getByRole("button", { name: "Close" }).tap();
  await page.keyboard.press("Control+k");
  await field(page).fill("tap");
  const box = (await palette(page).boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  expect((await option(page, "Tapped").boundingBox())!.height).toBeGreaterThanOrEqual(44);
  await option(page, "Tapped").tap();
  await page.getByRole("heading", { name: "Tapped" }).waitFor();
  expectNoFaults(page);
});

const refusal = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "urn:x",
    title: "No",
    status: 500,
    code: "internal",
    detail: "No search today.",
  }),
};

async function run(page: WatchedPage, query: string): Promise<void> {
  await palette(page).waitFor({ state: "hidden" }); // the command before this one is done
  await page.keyboard.press("Control+k");
  await field(page).fill(query);
  await page.getByRole("group", { name: "Commands" }).getByRole("option").first().click();
}

function palette(page: WatchedPage) {
  return page.getByRole("dialog", { name: "Command palette" });
}

function field(page: WatchedPage) {
  return page.getByRole("combobox", { name: "Search or jump to" });
}

function option(page: WatchedPage, title: string) {
  return palette(page)
    .getByRole("group", { name: /Sessions|Commands/ })
    .getByRole("option", { name: title });
}

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}

function row(session: string): Promise<Record<string, unknown>> {
  return visit.call("GET", `/api/sessions/${session}`);
}

async function send(session: string, text: string): Promise<void> {
  await visit.call("POST", `/api/sessions/${session}/inputs`, { kind: "prompt", text });
}
