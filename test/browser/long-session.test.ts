// A session of ten thousand messages in a real browser.
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const MESSAGES = 10_000;
/** What the document may hold of them. */
const MOUNTED_MAX = 150;
const AT_ONCE = 500;

const visit = useScriptedServer({ keepsSessions: true });
let session: string;
let page: WatchedPage;

beforeAll(async () => {
  session = await visit.server.create("A long one");
  for (let n = 0; n < MESSAGES; n += AT_ONCE)
    await visit.server.append(
      session,
      Array.from({ length: AT_ONCE }, (_, i) => line(n + i)),
    );
});
beforeEach(async () => {
  page = await visit.open();
});

test("a session of ten thousand messages opens at its end and puts few of its rows into the document", async () => {
  await page.getByRole("link", { name: /A long one/ }).click();
  await page.getByText(`message ${MESSAGES - 1}:`).waitFor();
  await expect.poll(below).toBeLessThan(2);
  expect(await mounted()).toBeLessThanOrEqual(MOUNTED_MAX);
});

test("scrolling up pages in what came before, row by row without a jump, and never fills the document", async () => {
  await open();
  await log().hover();
  const steps: { first: number; most: number; holes: number }[] = [];
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -3000);
      await settledTop(); // else two turns of the wheel may be one step
      const numbers = await numbersOn();
      steps.push({ first: numbers[0] ?? 0, most: numbers.length, holes: holesIn(numbers) });
      return numbers[0];
    })
    .toBeLessThan(MESSAGES - 1500);
  expect(steps.filter(({ holes }) => holes > 0)).toEqual([]);
  // Wherever a page came in, what was in view before is in view or just below after it.
  const jumps = steps.slice(1).map(({ first }, i) => (steps[i]?.first ?? 0) - first);
  expect(Math.min(...jumps)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...jumps)).toBeLessThan(150);
  expect(Math.max(...steps.map(({ most }) => most))).toBeLessThanOrEqual(MOUNTED_MAX);
});

test("Home leads to the beginning, and from there on the session can be read forward to any place", async () => {
  await open();
  await log().focus();
  await page.keyboard.press("Home");
  await page.getByText("message 0:").waitFor();
  await log().hover();
  let holes = 0;
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 3000);
      const numbers = await numbersOn();
      holes += holesIn(numbers);
      return numbers.at(-1);
    })
    .toBeGreaterThan(1000);
  expect(holes).toBe(0);
  expect(await mounted()).toBeLessThanOrEqual(MOUNTED_MAX);
  await log().focus();
  await page.keyboard.press("End");
  await page.getByText(`message ${MESSAGES - 1}:`).waitFor();
  await expect.poll(below).toBeLessThan(2);
});

test("a place in the middle of it is reached by its address and marked", async () => {
  await page.goto(`${visit.server.url}/sessions/${session}#${formatPosition(4002, 0)}`);
  await page.locator("li.message.shown").getByText("message 4000:").waitFor();
  await expect.poll(() => inView("message 4000:")).toBe(true);
});

test("what is being read stays where it is while more comes, and Latest leads to it", async () => {
  await open();
  await log().hover();
  await page.mouse.wheel(0, -2500);
  await page.getByRole("button", { name: "Latest" }).waitFor();
  await expect.poll(settledTop).toBe(true);
  const [reading] = await numbersInView();
  const before = await topOf(reading ?? 0);
  for (let n = 0; n < 30; n++) await visit.server.append(session, [line(MESSAGES + n)]);
  const last = MESSAGES + 29;
  await expect.poll(async () => (await shown()).messages).toBe(MESSAGES + 30);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await topOf(reading ?? 0)).toBe(before);
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByText(`message ${last}:`).waitFor();
  await expect.poll(below).toBeLessThan(2);
  expect(await mounted()).toBeLessThanOrEqual(MOUNTED_MAX);
});

test("a little step back from the end is enough to read on in peace while words stream in", async () => {
  await open();
  const step = { turn: "turn_s", step: "step_s", attempt: 1, model: "claude-sonnet" };
  await visit.server.append(session, [{ type: "step_started", data: step }]);
  await page.locator('[id="step_s.1"]').waitFor();
  await expect.poll(below).toBeLessThan(2);
  await log().hover();
  await page.mouse.wheel(0, -20);
  await page.getByRole("button", { name: "Latest" }).waitFor();
  await expect.poll(settledTop).toBe(true);
  const before = await log().evaluate((box) => box.scrollTop);
  const words = "and so it goes on ".repeat(20);
  for (let n = 0; n < 20; n++)
    await visit.server.append(session, [
      { type: "draft", data: { part: "step_s.1/0", kind: "text", offset: n * words.length, text: words } },
    ]);
  await expect.poll(below).toBeGreaterThan(500);
  expect(await log().evaluate((box) => box.scrollTop)).toBe(before);
  await page.getByRole("button", { name: "Latest" }).click();
  await expect.poll(below).toBeLessThan(2);
});

test("coming back to a session leads to where one was reading", async () => {
  const other = await visit.server.create("Another");
  await visit.server.append(other, [line(0)]);
  await open();
  await log().hover();
  await page.mouse.wheel(0, -4000);
  await expect.poll(settledTop).toBe(true);
  const [reading] = await numbersInView();
  const before = await topOf(reading ?? 0);
  await page.getByRole("link", { name: /Another/ }).click();
  await page.getByRole("heading", { name: "Another" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "A long one" }).waitFor();
  await expect.poll(() => topOf(reading ?? 0)).toBe(before);
  expectNoFaults(page);
});

async function open(): Promise<void> {
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await log().waitFor();
  await expect.poll(async () => (await numbersOn()).length).toBeGreaterThan(0);
  await expect.poll(below).toBeLessThan(2);
}

function log() {
  return page.getByRole("region", { name: "Transcript" });
}

function below(): Promise<number> {
  return log().evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
}

function mounted(): Promise<number> {
  return page.locator("li.message").count();
}

async function numbersOn(): Promise<number[]> {
  return numbers(await page.locator("li.message").allTextContents());
}

/** Of the rows that can be seen whole. */
async function numbersInView(): Promise<number[]> {
  const texts = await page.locator("li.message").evaluateAll((rows) => {
    const box = document.querySelector(".log")?.getBoundingClientRect();
    if (!box) return [];
    return rows.flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= box.top && bottom <= box.bottom ? [row.textContent] : [];
    });
  });
  return numbers(texts);
}

async function inView(text: string): Promise<boolean> {
  return (await numbersInView()).some((n) => `message ${n}:` === text);
}

function topOf(n: number): Promise<number> {
  return page.getByText(`message ${n}:`).evaluate((row) => Math.round(row.getBoundingClientRect().top));
}

/** Whether the transcript has come to rest: two frames with the same place. */
function settledTop(): Promise<boolean> {
  return log().evaluate(async (box) => {
    const before = box.scrollTop;
    for (let n = 0; n < 3; n++) await new Promise((done) => requestAnimationFrame(done));
    return box.scrollTop === before;
  });
}

async function shown(): Promise<{ messages: number }> {
  const answer = await visit.server.fetch(`/api/sessions/${session}`);
  const { view } = (await answer.json()) as { view: { earlier: number; messages: unknown[] } };
  return { messages: view.earlier + view.messages.length };
}

/** Where one is missing, comes twice or stands in the wrong place. */
function holesIn(numbers: readonly number[]): number {
  return numbers.filter((n, i) => i > 0 && n !== (numbers[i - 1] ?? 0) + 1).length;
}

function numbers(texts: readonly (string | null)[]): number[] {
  return texts.flatMap((text) => /^message (\d+):/.exec(text ?? "")?.[1] ?? []).map(Number);
}

/** Of different heights, so that nothing can be told without measuring. */
function line(n: number): NewEvent {
  return {
    type: "notice",
    data: { level: "info", text: `message ${n}:${" some more words".repeat((n % 7) * 6)}` },
  };
}
