// `npm run screenshots`: the pictures in docs/images, of the real page on a real server with a scripted log.
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";
import { buildPage } from "../test/browser/built-page.ts";
import { CHROMIUM_ARGS, unpackedChromium } from "../test/chromium-path.ts";
import { startScriptedServer, type ScriptedServer } from "../test/scripted-server.ts";
import { picturedSessions } from "./screenshot-work.ts";

const FOLDER = fileURLToPath(new URL("../docs/images", import.meta.url));
const MAX_BYTES = 200_000;

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

type Picture = { name: string; size: typeof WIDE; scheme: "light" | "dark"; page: "list" | "session" };

const PICTURES: Picture[] = [
  { name: "session-wide-light", size: WIDE, scheme: "light", page: "session" },
  { name: "session-wide-dark", size: WIDE, scheme: "dark", page: "session" },
  { name: "list-phone-light", size: PHONE, scheme: "light", page: "list" },
  { name: "list-phone-dark", size: PHONE, scheme: "dark", page: "list" },
  { name: "session-phone-light", size: PHONE, scheme: "light", page: "session" },
  { name: "session-phone-dark", size: PHONE, scheme: "dark", page: "session" },
];

buildPage();
await mkdir(FOLDER, { recursive: true });
const server = await startScriptedServer();
const browser = await chromium.launch({ executablePath: await unpackedChromium(), args: CHROMIUM_ARGS });
try {
  const session = await playAll(server);
  await server.listen();
  for (const picture of PICTURES) await take(browser, server, session, picture);
} finally {
  await browser.close();
  await server.remove();
}

/** All sessions side by side in the order of their times, as if the clock had run through them. */
async function playAll(server: ScriptedServer): Promise<string> {
  const sessions = picturedSessions();
  const entries = sessions.flatMap(({ beganMs, script }, n) => {
    let behindMs = beganMs;
    return script.entries.map(({ event, afterMs }) => ({ n, event, behindMs: (behindMs -= afterMs) }));
  });
  const ids: string[] = [];
  for (const { n, event, behindMs } of entries.toSorted((a, b) => b.behindMs - a.behindMs)) {
    await server.setClock(behindMs);
    const id = (ids[n] ??= await server.create(sessions[n]?.title ?? ""));
    const position = await server.append(id, [event], event.type === "input_admitted" ? "owner" : "executor");
    if (sessions[n]?.isSeen && event.type !== "draft") await server.see(id, position);
  }
  await server.setClock(0);
  const [first] = ids;
  if (first === undefined) throw new Error("there is nothing to take a picture of");
  return first;
}

async function take(
  browser: Browser,
  server: ScriptedServer,
  session: string,
  picture: Picture,
): Promise<void> {
  const { name, size, scheme, page: shown } = picture;
  const isPhone = size === PHONE;
  const context = await browser.newContext({
    locale: "en-US",
    viewport: size,
    colorScheme: scheme,
    reducedMotion: "reduce",
    deviceScaleFactor: isPhone ? 2 : 1,
    hasTouch: isPhone,
    isMobile: isPhone,
  });
  const page = await context.newPage();
  await page.goto(await server.loginLink());
  await page.waitForURL(`${server.url}/`);
  if (shown === "session") await page.goto(`${server.url}/sessions/${session}`);
  await page
    .getByText(shown === "session" ? "I am looking at" : "Flaky checkout")
    .last()
    .waitFor();
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  await context.close();
  const { size: bytes } = await stat(file);
  if (bytes > MAX_BYTES)
    throw new Error(`${name}.png has ${bytes} bytes; ${MAX_BYTES} are enough for a picture`);
  console.log(`docs/images/${name}.png  ${Math.round(bytes / 1024)} KB`);
}
