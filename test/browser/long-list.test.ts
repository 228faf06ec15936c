// A list of many sessions, in a real browser: what concerns none of its rows is no work for any of them.
import { expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { Script } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();

const SESSIONS = 100;
/** The tick that ends its minute is far away. */
const NOON = new Date("2026-11-15T12:00:01.000Z");
const LATER = new Date("2026-11-15T12:05:00.000Z");

test("a minute that passes words every row anew, a second does not, nor does going to another session", async () => {
  for (let n = 0; n < SESSIONS; n++) await said(`Number ${n}`);
  const page = await visit.open();
  await page.clock.install({ time: NOON });
  await countWording(page);
  await page.reload();
  await row(page, "Number 0").waitFor({ state: "attached" });
  expect(await worded(page)).toEqual({ ages: atLeast(SESSIONS), counts: atLeast(SESSIONS) });

  await page.clock.runFor(5000);
  expect(await worded(page)).toEqual({ ages: atMost(SESSIONS / 2), counts: atMost(SESSIONS / 2) });

  await page.clock.setSystemTime(LATER); // without what else would happen in five minutes
  await page.clock.runFor(1000);
  expect(await worded(page)).toMatchObject({ ages: atLeast(SESSIONS) });

  for (const title of ["Number 7", "Number 8"]) {
    await row(page, title).click();
    await page.getByRole("heading", { name: title }).waitFor();
    // Their times are read to put them in order, which is no wording.
    expect(await worded(page)).toMatchObject({ counts: atMost(SESSIONS / 2) });
  }
  expectNoFaults(page);
});

async function said(title: string): Promise<void> {
  const session = await visit.server.create(title);
  const script = new Script("a").admit("go").take("inp_a1", formatPosition(2, 0)).begin();
  await visit.server.play(session, script.complete([{ type: "text", text: "Done." }]).end());
}

/** How long ago and how many messages: the words of a row, by the calls that they can't be made without. */
async function countWording(page: WatchedPage): Promise<void> {
  await page.addInitScript(() => {
    const worded = { ages: 0, counts: 0 };
    Object.assign(window, { worded });
    const { parse } = Date;
    Date.parse = (text) => {
      worded.ages += 1;
      return parse(text);
    };
    Number.prototype.toLocaleString = function () {
      worded.counts += 1;
      return String(this);
    };
  });
}

/** Since this was last asked. */
function worded(page: WatchedPage): Promise<{ ages: number; counts: number }> {
  return page.evaluate(() => {
    const { worded: now } = window as unknown as { worded: { ages: number; counts: number } };
    const since = { ...now };
    Object.assign(now, { ages: 0, counts: 0 });
    return since;
  });
}

function atLeast(count: number): unknown {
  return expect.toSatisfy((n: number) => n >= count, `at least ${count}`);
}

function atMost(count: number): unknown {
  return expect.toSatisfy((n: number) => n <= count, `at most ${count}`);
}

function row(page: WatchedPage, title: string) {
  const name = new RegExp(`${title}\\b`);
  return page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name });
}
