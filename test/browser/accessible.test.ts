// Every view that the pictures show, as a screen reader is given it.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { picturedAgents } from "../../scripts/pictured-agents.ts";
import type { SessionName } from "../../scripts/pictured-sessions.ts";
import { PICTURED_VIEWS, type PicturedView } from "../../scripts/pictured-views.ts";
import { playPictures } from "../../scripts/play-pictures.ts";
import { launchChromium } from "../chromium.ts";
import { startScriptedServer, type ScriptedServer } from "../scripted-server.ts";
import { axFaults } from "./ax-tree.ts";
import { buildPage } from "./built-page.ts";
import { newPerson, newTab } from "./watched-page.ts";

let browser: Browser;
let server: ScriptedServer;
let sessions: Record<SessionName, string>;

beforeAll(async () => {
  buildPage();
  browser = await launchChromium();
  server = await startScriptedServer();
  await server.setAgents(picturedAgents());
  sessions = await playPictures(server);
  await server.listen();
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});

test.each(PICTURED_VIEWS)(
  "all of the view $name has names, order and ids, wide and on a phone",
  async (view) => {
    expect({ wide: await faultsOf(view, false), phone: await faultsOf(view, true) }).toEqual({
      wide: [],
      phone: [],
    });
  },
);

async function faultsOf(view: PicturedView, isPhone: boolean): Promise<string[]> {
  const person = await newPerson(browser, isPhone ? { width: 390, height: 844, touch: true } : {});
  const page = await newTab(person, view.isLoggedOut ? server.url : await server.loginLink());
  if (!view.isLoggedOut) await page.waitForURL((url) => url.pathname !== "/login");
  // Looking must not change what the next one looks at.
  await page.route("**/seen", (route) => route.fulfill({ json: route.request().postDataJSON() as unknown }));
  await page.goto(server.url + view.path(sessions));
  await view.prepare?.(page);
  await page.getByText(view.shows).filter({ visible: true }).first().waitFor();
  const faults = await axFaults(page);
  await person.close();
  return faults;
}
