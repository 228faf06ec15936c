// A browser page that notes whatever a good page does not do: console errors, CSP violations, requests elsewhere.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

export type WatchedPage = Page & { faults: string[] };

export type PageOptions = {
  width?: number;
  height?: number;
  dark?: boolean;
  /** A finger instead of a mouse. */
  touch?: boolean;
  /** With the page's service worker: requests that meet it as it starts go past Playwright, unseen and unrouted. */
  worker?: boolean;
};

/** A person's browser, with cookies of its own. */
export async function newPerson(browser: Browser, options: PageOptions = {}): Promise<BrowserContext> {
  const { width = 1280, height = 800, dark = false, touch = false, worker = false } = options;
  return browser.newContext({
    locale: "en-US", // under LANG=C.UTF-8 this Chromium would report one that no library accepts
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    hasTouch: touch,
    isMobile: touch,
    serviceWorkers: worker ? "allow" : "block",
  });
}

export async function newTab(person: BrowserContext, url: string): Promise<WatchedPage> {
  const page = await person.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    if (isFault && message.text() !== WORKER_BLOCKED) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== new URL(url).origin)
      faults.push(`request: ${request.url()}`);
  });
  // Told by the console: a function that Playwright exposes to a page may fail in one that is just being made.
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber } = event;
      console.error(`CSP: ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
    });
  });
  await page.goto(url);
  return Object.assign(page, { faults });
}

/** What Playwright says when it does what newPerson asks for. */
const WORKER_BLOCKED = "Service Worker registration blocked by Playwright";

/** What Chromium itself says of a server that is gone or that refuses; the page has no part in it. */
const OF_A_DEAD_SERVER =
  /net::ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE|SOCKET|NETWORK)|status of 503|WebSocket connection to/;

export function expectNoFaults(page: WatchedPage, but: RegExp = /(?!)/): void {
  expect(page.faults.filter((fault) => !but.test(fault))).toEqual([]);
}

export function expectNoFaultsButDeaths(page: WatchedPage): void {
  expectNoFaults(page, OF_A_DEAD_SERVER);
}
