// What the page is measured on: the built page from the real server, with a session of ten thousand messages, in Chromium.
import { chromium, type Browser, type Page } from "playwright-core";
import { buildPage } from "../../test/browser/built-page.ts";
import { CHROMIUM_ARGS, unpackedChromium } from "../../test/chromium-path.ts";
import { startScriptedServer, type ScriptedServer } from "../../test/scripted-server.ts";
import { longLog } from "./long-log.ts";

export const MESSAGES = 10_000;
const AT_ONCE = 1000;
const OTHERS = 30;

export type Scene = {
  browser: Browser;
  server: ScriptedServer;
  session: string;
  /** A tab of its own, logged in, with the list on screen and nothing opened yet. */
  tab: () => Promise<Page>;
};

export async function openScene(stack: AsyncDisposableStack): Promise<Scene> {
  buildPage();
  const server = await startScriptedServer();
  stack.defer(() => server.remove());
  await server.listen();
  for (let n = 0; n < OTHERS; n++) await server.create(`Another ${n}`);
  const session = await server.create("The long one");
  const log = longLog(MESSAGES);
  let end;
  for (let n = 0; n < log.length; n += AT_ONCE) end = await server.append(session, log.slice(n, n + AT_ONCE));
  if (end) await server.see(session, end);

  const browser = await chromium.launch({ executablePath: await unpackedChromium(), args: CHROMIUM_ARGS });
  stack.defer(() => browser.close());
  return {
    browser,
    server,
    session,
    async tab() {
      const person = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 } });
      const page = await person.newPage();
      await page.goto(await server.loginLink());
      await page.getByText("connected", { exact: true }).first().waitFor();
      await row(page).waitFor();
      return page;
    },
  };
}

/** Of the long session, in the list. */
export function row(page: Page) {
  return page.getByRole("link", { name: /The long one/ });
}
