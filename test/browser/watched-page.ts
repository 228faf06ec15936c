// A browser page that notes whatever a good page does not do: console errors, CSP violations, requests elsewhere.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

export type WatchedPage = Page & { faults: string[] };

export type PageOptions = { width?: number; height?: number; dark?: boolean };

/** A person's browser, with cookies of its own. */
export async function newPerson(browser: Browser, options: PageOptions = {}): Promise<BrowserContext> {
  const { width = 1280, height = 800, dark = false } = options;
  return browser.newContext({
    locale: "en-US", // under LANG=C.UTF-8 this Chromium would report one that no library accepts
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
  });
}

export async function newTab(person: BrowserContext, url: string): Promise<WatchedPage> {
  const page = await person.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== new URL(url).origin)
      faults.push(`request: ${request.url()}`);
  });
  await page.exposeFunction("noteViolation", (text: string) => void faults.push(`CSP: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { noteViolation } = window as unknown as { noteViolation: (text: string) => void };
      noteViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  await page.goto(url);
  return Object.assign(page, { faults });
}

/** What Chromium itself says of a server that is gone or that refuses; the page has no part in it. */
const OF_A_DEAD_SERVER =
  /net::ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE|SOCKET|NETWORK)|status of 503|WebSocket connection to/;

export function expectNoFaults(page: WatchedPage, but: RegExp = /(?!)/): void {
  expect(page.faults.filter((fault) => !but.test(fault))).toEqual([]);
}

export function expectNoFaultsButDeaths(page: WatchedPage): void {
  expectNoFaults(page, OF_A_DEAD_SERVER);
}
