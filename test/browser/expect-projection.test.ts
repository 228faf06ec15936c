// The checker of every other browser test must itself be able to fail: a page that is wrong in one place is caught there.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { calls, reasoning, Script, text, type Call } from "../scripted-work.ts";
import { expectPageEqualsProjection } from "./expect-projection.ts";
import { useScriptedServer } from "./visit.ts";
import { type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer({ keepsSessions: true });
let page: WatchedPage;
let session: string;

const build: Call = { call: "call_1", name: "shell", args: { command: "make" } };

beforeAll(async () => {
  session = await visit.server.create("To be compared");
  await visit.server.play(
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
});
beforeEach(async () => {
  page = await visit.open();
});

test("a page that shows what the server has is right", async () => {
  await open();
  await expectPageEqualsProjection(page, visit.server, session);
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
    const found = expectPageEqualsProjection(page, visit.server, session, 0);
    await expect(found.catch(firstDifference)).resolves.toMatch(told);
  });
});

test("a long session is compared from its very beginning", async () => {
  const long = await visit.server.create("Long");
  for (let n = 0; n < 170; n += 10)
    await visit.server.append(
      long,
      Array.from({ length: 10 }, (_, i) => ({
        type: "notice",
        data: { level: "info", text: `line ${n + i}` },
      })),
    );
  await page.goto(`${visit.server.url}/sessions/${long}`);
  await expectPageEqualsProjection(page, visit.server, long);
});

async function open(): Promise<void> {
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await page.getByText("It is built.").waitFor();
}

/** What stands there, and what should, at the first line that is wrong. */
function firstDifference({ actual, expected }: { actual: string[]; expected: string[] }): string {
  const n = expected.findIndex((line, i) => line !== actual[i]);
  return `${actual[n]} but ${expected[n]}`;
}
