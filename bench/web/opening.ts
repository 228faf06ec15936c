import type { Page } from "playwright-core";
import { sampleOf, weigh, type Finding } from "../measure.ts";
import { MESSAGES, row, type Scene } from "./scene.ts";

const ROUNDS = 7;
const LAST_TURN = MESSAGES / 4 - 1;

/** Each round in a new tab, where nothing of the session is known yet; then once more, from another session back. */
export async function measureOpening({ tab }: Scene): Promise<Finding[]> {
  const first: number[] = [];
  const again: number[] = [];
  const mounted: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const page = await tab();
    const opened = await timeToEnd(page, () => row(page).click());
    const rows = await mostRowsWhileScrolling(page);
    await page.getByRole("link", { name: /Another 3\b/ }).click();
    await page.getByRole("heading", { name: "Another 3" }).waitFor();
    const reopened = await timeToEnd(page, () => row(page).click());
    if (round > 0) {
      first.push(opened); // the first round warms up the browser and the server
      again.push(reopened);
      mounted.push(rows);
    }
    await page.context().close();
  }
  const { median, highest } = sampleOf(again);
  return [
    weigh({
      what: "click on a session of 10,000 messages until its end is painted",
      unit: "ms",
      target: { atMost: 300 },
      ours: first,
      details: [`coming back to it from another session: ${median.toFixed(0)} ms [… ${highest.toFixed(0)}]`],
    }),
    weigh({
      what: "rows in the document, the most while scrolling through it",
      unit: "rows",
      target: { atMost: 150 },
      ours: mounted,
    }),
  ];
}

const PATIENCE_MS = 10_000;

/** From the browser's own time of the click to the frame after the one that has the end in view. */
async function timeToEnd(page: Page, click: () => Promise<void>): Promise<number> {
  const painted = page.evaluate(
    ([last, patienceMs]) =>
      new Promise<number>((done, fail) => {
        let clickedAt: number | undefined;
        setTimeout(() => fail(new Error("the end of the session did not come into view")), patienceMs);
        document.addEventListener("click", ({ timeStamp }) => (clickedAt = timeStamp), {
          capture: true,
          once: true,
        });
        const isInView = () => {
          const log = document.querySelector(".log");
          const bottom = Array.from(log?.querySelectorAll("li.message.turn_end") ?? [])
            .at(-1)
            ?.getBoundingClientRect().bottom;
          if (!log?.textContent.includes(last) || bottom === undefined) return false;
          const box = log.getBoundingClientRect();
          return bottom <= box.bottom && bottom > box.top;
        };
        const look = () => {
          if (clickedAt === undefined || !isInView()) return void requestAnimationFrame(look);
          const from = clickedAt;
          // The frame that was just made is on screen when the next one begins.
          requestAnimationFrame(() => done(performance.now() - from));
        };
        requestAnimationFrame(look);
      }),
    [`Turn ${LAST_TURN} is done.`, PATIENCE_MS] as const,
  );
  await click();
  return painted;
}

async function mostRowsWhileScrolling(page: Page): Promise<number> {
  const rows = () => page.locator("li.message").count();
  let most = await rows();
  await page.getByRole("region", { name: "Transcript" }).hover();
  for (let n = 0; n < 20; n++) {
    await page.mouse.wheel(0, n < 15 ? -2500 : 2500);
    most = Math.max(most, await rows());
  }
  await page.getByRole("button", { name: "Latest" }).click();
  return Math.max(most, await rows());
}
