// The settings page on a real server: what is kept on this device, who has access, what was allowed.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "../chromium.ts";
import { startServer, type ServerProcess } from "../server-process.ts";
import { buildPage } from "./built-page.ts";
import { expectNoFaults, newPerson, newTab, type WatchedPage } from "./watched-page.ts";

let browser: Browser;
let server: ServerProcess;
let person: BrowserContext;

beforeAll(async () => {
  buildPage();
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  server = await startServer();
  person = await newPerson(browser);
});
afterEach(async () => {
  await person.close();
  await server.remove();
});

test("a token is shown once, works, and no longer does when it is revoked", async () => {
  const page = await open();
  const tokens = page.getByRole("region", { name: "Tokens" });
  await tokens.getByLabel("Name of a new token").fill("backup script");
  await tokens.getByRole("button", { name: "Make a token" }).click();
  const token = await tokens.getByLabel("The token “backup script”").inputValue();
  expect((await me(token)).status).toBe(200);
  expect(await (await me(token)).json()).toMatchObject({ kind: "program" });
  await page.reload();
  await tokens.getByText("backup script").waitFor();
  expect(await page.getByText(token).count()).toBe(0);
  await tokens.getByRole("button", { name: "Revoke backup script" }).click();
  await tokens.getByRole("button", { name: "Keep" }).click();
  expect((await me(token)).status).toBe(200);
  await tokens.getByRole("button", { name: "Revoke backup script" }).click();
  await tokens.getByRole("button", { name: "Revoke backup script now" }).click();
  await expect.poll(() => tokens.getByText("backup script").count()).toBe(0);
  expect((await me(token)).status).toBe(401);
  expectNoFaults(page);
});

test("a token that could not be made leaves its name in the field, and says why", async () => {
  const page = await open();
  await page.route("**/api/tokens", (route) =>
    route.request().method() === "POST" ? route.fulfill(refusal) : route.continue(),
  );
  await page.getByLabel("Name of a new token").fill("kept name");
  await page.getByRole("button", { name: "Make a token" }).click();
  await page.getByRole("alert").filter({ hasText: "Not now." }).waitFor();
  expect(await page.getByLabel("Name of a new token").inputValue()).toBe("kept name");
});

test("a link made here logs another device in; it is listed apart from this one and can be logged out", async () => {
  const page = await open();
  const devices = page.getByRole("region", { name: "Devices" });
  await devices.getByRole("button", { name: "Log in on another device…" }).click();
  const link = await devices.getByLabel("Open this link on the other device").inputValue();
  const other = await newPerson(browser);
  const elsewhere = await newTab(other, link);
  await elsewhere.getByText("No session yet.").waitFor();
  await page.reload();
  await expect.poll(() => devices.getByRole("listitem").count()).toBe(2);
  expect(await devices.getByRole("listitem").first().textContent()).toContain("this device");
  await devices.getByRole("button", { name: "Log out Chrome on Linux", exact: true }).click();
  await devices.getByRole("button", { name: "Log out Chrome on Linux now" }).click();
  await expect.poll(() => devices.getByRole("listitem").count()).toBe(1);
  await elsewhere.getByText("holdfast login").waitFor();
  await page.getByText("connected", { exact: true }).first().waitFor();
  await other.close();
});

test("the theme chosen here is there before the page's own script has run", async () => {
  const page = await open();
  await page.getByRole("radio", { name: "Dark" }).check();
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const other = await newTab(person, `${server.url}/settings`);
  await other.route("**/assets/*.js", () => {}); // never answered
  await other.reload({ waitUntil: "commit" });
  await expect
    .poll(() => other.evaluate(() => document.body && getComputedStyle(document.body).backgroundColor))
    .toBe(dark);
  expect(await other.getByRole("heading").count()).toBe(0);
});

test("the page says what this server is, and whether its agents are sandboxed", async () => {
  const page = await open();
  const about = page.getByRole("region", { name: "About" });
  await about.getByText("SQLite, embedded").waitFor();
  await about
    .getByText(/sandbox/)
    .first()
    .waitFor();
  expect(await about.textContent()).toContain("owner, on Chrome on Linux");
});

const refusal = {
  status: 409,
  contentType: "application/problem+json",
  body: JSON.stringify({ type: "urn:x", title: "No", status: 409, code: "conflict", detail: "Not now." }),
};

async function open(): Promise<WatchedPage> {
  const link = /\S+\/login#\S+/.exec(server.output)?.[0] ?? "";
  const page = await newTab(person, link);
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/settings`);
  await page.getByText("this device", { exact: true }).waitFor();
  return page;
}

function me(token: string): Promise<Response> {
  return fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
}
