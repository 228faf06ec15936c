// `npm run screenshots [name …]`: the pictures in docs/images, of the real page on a real server with scripted logs, at a
// moment that never changes. Names (`inbox`, `session-phone`) choose among them.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Cookie,
} from "playwright-core";
import { buildPage } from "../test/browser/built-page.ts";
import { CHROMIUM_ARGS, unpackedChromium } from "../test/chromium-path.ts";
import { startScriptedServer } from "../test/scripted-server.ts";
import { picturedAgents } from "./pictured-agents.ts";
import type { SessionName } from "./pictured-sessions.ts";
import { PICTURED_VIEWS, type PicturedView } from "./pictured-views.ts";
import { PICTURE_NOW, playPictures } from "./play-pictures.ts";
import { smallPng } from "./small-png.ts";

const FOLDER = fileURLToPath(new URL("../docs/images", import.meta.url));
const MAX_BYTES = 150_000;

const SIZES = {
  wide: { viewport: { width: 1280, height: 800 } },
  phone: {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    userAgent: "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36",
  },
};
const SCHEMES = ["light", "dark"] as const;

buildPage();
await mkdir(FOLDER, { recursive: true });
const server = await startScriptedServer();
const browser = await chromium.launch({ executablePath: await unpackedChromium(), args: CHROMIUM_ARGS });
try {
  await server.setAgents(picturedAgents());
  const sessions = await playPictures(server);
  await server.listen();
  await takeAll(browser, sessions);
} finally {
  await browser.close();
  await server.remove();
}

async function takeAll(browser: Browser, sessions: Record<SessionName, string>): Promise<void> {
  const wanted = process.argv.slice(2);
  let total = 0;
  const devices = await Promise.all(
    Object.entries(SIZES).map(async ([size, device]) => ({
      size,
      device,
      login: await logIn(browser, device),
    })),
  );
  for (const { size, device, login } of devices)
    for (const scheme of SCHEMES) {
      const context = await browser.newContext({
        locale: "en-US",
        timezoneId: "UTC",
        colorScheme: scheme,
        reducedMotion: "reduce",
        serviceWorkers: "block", // it would keep the network busy with what no picture shows
        ...device,
      });
      // A browser without a screen blocks notifications, whatever it is told.
      await context.addInitScript(() =>
        Object.defineProperty(Notification, "permission", { value: "granted" }),
      );
      for (const view of PICTURED_VIEWS) {
        const name = `${view.name}-${size}-${scheme}`;
        if (wanted.length > 0 && !wanted.some((each) => name.startsWith(each))) continue;
        const picture = await take(context, view, sessions, login);
        if (picture.length > MAX_BYTES)
          throw new Error(`${name}.png has ${picture.length} bytes; ${MAX_BYTES} are enough for a picture`);
        await writeFile(join(FOLDER, `${name}.png`), picture);
        total += picture.length;
        console.log(`docs/images/${name}.png  ${Math.round(picture.length / 1024)} KB`);
      }
      await context.close();
    }
  console.log(`${Math.round(total / 1024)} KB in all`);
}

async function take(
  context: BrowserContext,
  view: PicturedView,
  sessions: Record<SessionName, string>,
  login: Cookie[],
): Promise<Buffer> {
  await context.clearCookies();
  if (!view.isLoggedOut) await context.addCookies(login);
  const page = await context.newPage();
  await page.clock.setFixedTime(PICTURE_NOW);
  // Looking at one picture must not change the next: nothing that is shown counts as read.
  await page.route("**/seen", (route) => route.fulfill({ json: route.request().postDataJSON() as unknown }));
  await page.goto(server.url + view.path(sessions));
  await view.prepare?.(page);
  await page.getByText(view.shows).filter({ visible: true }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => localStorage.clear()); // the last place, an open panel: not for the next picture
  const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
  await page.close();
  return smallPng(picture);
}

/** Once for each device, so that the settings list no more of them than there are. */
async function logIn(browser: Browser, device: BrowserContextOptions): Promise<Cookie[]> {
  const context = await browser.newContext(device);
  const page = await context.newPage();
  await page.goto(await server.loginLink());
  await page.waitForURL((url) => url.pathname !== "/login");
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
