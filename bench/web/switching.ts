// From one session to the next while the list has thousands of rows: what is in the list is no burden on who switches.
import type { Page } from "playwright-core";
import { weigh, type Finding } from "../measure.ts";
import { longLog } from "./long-log.ts";
import type { Scene } from "./scene.ts";
import { longestTaskMs } from "./trace.ts";

const SESSIONS = 2000;
const ROUNDS = 11;
/** Of the sessions that are opened. */
const MESSAGES = 200;
/** Also a second's tick of the page's clock is within, and the news that what was opened is read. */
const AFTER_MS = 1200;
const PAGES_MAX = 4 * (SESSIONS / 200);

export async function measureSwitching({ browser, server }: Scene): Promise<Finding[]> {
  for (let n = 0; n < SESSIONS; n++) await server.create(`Listed ${n}`);
  const titles = Array.from({ length: ROUNDS + 1 }, (_, n) => `Opened ${n}`);
  for (const title of titles) await server.append(await server.create(title), longLog(MESSAGES));
  const person = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 } });
  const page = await person.newPage();
  await page.goto(await server.loginLink());
  await readWholeList(page);

  const tasksMs: number[] = [];
  for (const [round, title] of titles.entries()) {
    const row = page.getByRole("link", { name: new RegExp(`^${title}\\b`) });
    const { x, y } = (await row.boundingBox()) ?? { x: 0, y: 0 };
    await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
    await page.mouse.click(x + 40, y + 10);
    await page.waitForTimeout(AFTER_MS);
    const trace = await browser.stopTracing();
    await page.getByRole("heading", { name: title }).waitFor();
    if (round > 0) tasksMs.push(longestTaskMs(trace)); // the first round compiles what a transcript needs
  }
  await person.close();
  return [
    weigh({
      what: `longest task while switching, with ${SESSIONS.toLocaleString("en")} sessions in the list`,
      unit: "ms",
      target: { atMost: 50 },
      ours: tasksMs,
    }),
  ];
}

/** As someone does who scrolls to its end, and back to its beginning. */
async function readWholeList(page: Page): Promise<void> {
  const list = page.getByRole("navigation", { name: "Sessions" });
  const older = page.getByRole("button", { name: "Show older sessions" });
  await older.waitFor({ state: "attached" });
  for (let n = 0; n < PAGES_MAX && (await older.count()) > 0; n++) {
    await list.evaluate((nav) => nav.scrollTo(0, nav.scrollHeight));
    await page.waitForTimeout(250);
  }
  const rows = await page.locator("a.row").count();
  if (rows < SESSIONS) throw new Error(`only ${rows} of ${SESSIONS} sessions are in the list`);
  await list.evaluate((nav) => nav.scrollTo(0, 0));
}
