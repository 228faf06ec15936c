// The checker of every other browser test must itself be able to fail: a page that is wrong in one place is caught there.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { launchChromium } from "../chromium.ts";
import { calls, reasoning, Script, text, type Call } from "../scripted-work.ts";
import { startScriptedServer, type ScriptedServer } from "../scripted-server.ts";
import { buildPage } from "./built-page.ts";
import { expectPageEqualsProjection } from "./expect-projection.ts";
import { newPerson, newTab, type WatchedPage } from "./watched-page.ts";

let browser: Browser;
let server: ScriptedServer;
let person: BrowserContext;
let page: WatchedPage;
let session: string;

const build: Call = { call: "call_1", name: "shell", args: { command: "make" } };

beforeAll(async () => {
  buildPage();
  browser = await launchChromium();
  server = await startScriptedServer();
  await server.listen();
  session = await server.create("To be compared");
  await server.play(
    session,
    new Script("a")
      .admit("Build it.")
      .take("inp_a1", formatPosition(2, 0))
      .begin()
      .complete([reasoning("With make."), text("I build it."), calls(build)])
      .start(build)
      .finish(build, "made", { exit: 0 })
      .begin()
      .complete([text("It is built.")])
      .add({ type: "ask_opened", data: { ask: "ask_1", kind: "clarify", title: "And now?" } })
      .admit("Something else."),
  );
  person = await newPerson(browser);
  page = await newTab(person, await server.loginLink());
  await page.waitForURL(`${server.url}/`);
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});

test("a page that shows what the server has is right", async () => {
  await open();
  await expectPageEqualsProjection(page, server, session);
});

type Fault = [what: string, make: () => void, told: RegExp];

const FAULTS: Fault[] = [
  [
    "a row is missing",
    () => document.querySelector("li.message.step")!.remove(),
    /^step step_a4.* but step step_a3/,
  ],
  [
    "a row stands there twice",
    () => {
      const row = document.querySelector("li.message.input")!;
      row.after(row.cloneNode(true));
    },
    /^input inp_a1.* but step/,
  ],
  [
    "two rows have changed places",
    () => {
      const [input, step] = document.querySelectorAll("li.message");
      step!.after(input!);
    },
    /^step .* but input inp_a1/,
  ],
  [
    "a word is wrong",
    () => {
      const words = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
      while (words.nextNode())
        words.currentNode.nodeValue = words.currentNode.nodeValue!.replace("I build it.", "I broke it.");
    },
    /I broke it. but .*I build it/,
  ],
  ["a part is missing", () => document.querySelector("main details[data-part]")!.remove(), /but .*With make/],
  [
    "a tool's outcome is wrong",
    () => document.querySelector("main [data-outcome]")!.setAttribute("data-outcome", "bad"),
    /tool .* bad but .* ok/,
  ],
  ["an ask is missing", () => document.querySelector("main [data-ask]")!.remove(), /but ask ask_1/],
  [
    "what is queued is missing",
    () => document.querySelector('[aria-label="Waiting inputs"] li')!.remove(),
    /but queued: Something else/,
  ],
];

describe("a page is caught", () => {
  test.each(FAULTS)("in which %s", async (_, make, told) => {
    await open();
    await page.evaluate(make);
    const found = expectPageEqualsProjection(page, server, session, 0);
    await expect(found.catch(firstDifference)).resolves.toMatch(told);
  });
});

test("a long session is compared from its very beginning", async () => {
  const long = await server.create("Long");
  for (let n = 0; n < 170; n += 10)
    await server.append(
      long,
      Array.from({ length: 10 }, (_, i) => ({
        type: "notice",
        data: { level: "info", text: `line ${n + i}` },
      })),
    );
  await page.goto(`${server.url}/sessions/${long}`);
  await expectPageEqualsProjection(page, server, long);
});

async function open(): Promise<void> {
  await page.goto(`${server.url}/sessions/${session}`);
  await page.getByText("It is built.").waitFor();
}

/** What stands there, and what should, at the first line that is wrong. */
function firstDifference({ actual, expected }: { actual: string[]; expected: string[] }): string {
  const n = expected.findIndex((line, i) => line !== actual[i]);
  return `${actual[n]} but ${expected[n]}`;
}
