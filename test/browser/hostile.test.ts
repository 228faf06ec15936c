// Hostile text wherever the page shows text that others wrote: nothing runs, nothing is fetched, nothing gets stuck.
import { beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import { calls, reasoning, Script, text, type Call } from "../scripted-work.ts";
import { HOSTILE } from "./hostile-corpus.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let dialogs: string[];

beforeEach(async () => {
  dialogs = [];
  // Should anything get out it gets an answer, so that what it would then do is seen as well.
  await visit.person.route(/evil\.example/, (route) =>
    route.fulfill({ body: "window.owned=1", contentType: "text/javascript" }),
  );
});

test("what a model says, what it asks of tools and what they bring is shown and does nothing", async () => {
  const sessions: [name: string, session: string][] = [];
  for (const [name, hostile] of Object.entries(HOSTILE)) {
    const session = await visit.server.create("Said and done");
    await visit.server.play(session, saidAndDone(hostile));
    sessions.push([name, session]);
  }
  const page = await open(sessions[0]![1]);
  for (const [name, session] of sessions) {
    await goTo(page, session);
    await page.locator("li.turn_end").waitFor();
    await openAll(page);
    await page.locator(".tool details[open] .diff").waitFor();
    expect([name, await page.locator(".tool").count()]).toEqual([name, 3]);
    await expectInert(page, name);
  }
  await expectUsable(page);
});

test("what a model says does nothing while it grows, wherever it is cut", async () => {
  const session = await visit.server.create("Said");
  const page = await open(session);
  let seq = 1;
  for (const [n, hostile] of Object.values(HOSTILE).entries()) {
    const beginning = hostile.slice(0, 3000);
    const script = begun(`g${n}_`, seq + 1);
    const cuts = [0.2, 0.4, 0.6, 0.8, 1].map((part) => Math.floor(part * beginning.length));
    const pieces = cuts
      .map((cut, i) => beginning.slice(cuts[i - 1] ?? 0, cut))
      .filter((piece) => piece !== "");
    await visit.server.play(
      session,
      script
        .draft("text", 0, ...pieces)
        .complete([text(beginning)])
        .end(),
    );
    seq += FACTS_A_TURN;
  }
  await page.locator(`li.turn_end[id^="turn_g${Object.keys(HOSTILE).length - 1}_"]`).waitFor();
  await expectInert(page);
  await expectUsable(page);
});

test("titles, inputs, questions, notices, tasks and failures do nothing", async () => {
  const hostiles = Object.values(HOSTILE).map((hostile) => hostile.slice(0, 1500));
  const session = await visit.server.create("Named");
  for (const [n, hostile] of hostiles.entries()) {
    const named: NewEvent[] = [
      { type: "notice", data: { level: "warn", text: hostile } },
      { type: "task_linked", data: { task: `tsk_${n}`, title: hostile } },
      { type: "task_finished", data: { task: `tsk_${n}`, outcome: hostile.slice(0, 50), summary: hostile } },
    ];
    await visit.server.append(session, named);
  }
  await visit.server.append(
    session,
    hostiles.map((hostile, n) => ({
      type: "input_admitted",
      data: { input: `inp_${n}`, kind: "prompt", text: hostile },
    })),
    "owner",
  );
  await visit.server.append(session, [
    { type: "turn_started", data: { turn: "turn_1", inputs: ["inp_0"] } },
    ...hostiles.slice(0, DELIVERED).map((_, n): NewEvent => ({
      type: "input_delivered",
      data: { input: `inp_${n}`, turn: "turn_1", from: formatPosition(2 + 3 * hostiles.length + n, 0) },
    })),
    ...hostiles.slice(0, 12).map((hostile, n): NewEvent => ({
      type: "ask_opened",
      data: {
        ask: `ask_${n}`,
        kind: n % 2 === 0 ? "approval" : "clarify",
        title: hostile,
        command: hostile,
        cwd: hostile.slice(0, 100),
        choices: [{ id: hostile.slice(0, 40), label: hostile.slice(0, 200) }],
      },
    })),
  ]);
  for (const hostile of hostiles)
    await visit.server.create(hostile.replaceAll(/\p{Cc}/gu, " ").slice(0, 150) || "none");
  const page = await open(session);
  const seen = await walkThrough(page, () => expectInert(page));
  expect(seen.size).toBe(2 * hostiles.length + DELIVERED);
  await visit.server.append(session, [
    {
      type: "turn_ended",
      data: {
        turn: "turn_1",
        outcome: "failed",
        error: { code: "x", message: HOSTILE["handlers on images"]!, details: HOSTILE["svg"]! },
      },
    },
    { type: "session_titled", data: { title: HOSTILE["a script"]! } },
  ]);
  await page.getByText("The turn failed").waitFor();
  await openAll(page);
  await expectInert(page);
  await page.getByRole("heading", { name: HOSTILE["a script"]! }).waitFor();
  await page.goto(`${visit.server.url}/`);
  await page.getByRole("textbox").first().waitFor();
  await expectInert(page);
});

test("a line of a megabyte that grows leaves the page usable", async () => {
  const session = await visit.server.create("Long");
  const page = await open(session);
  const chunk = "lorem<b>ipsum".repeat(5000);
  await visit.server.play(
    session,
    begun("a", 2).draft("text", 0, ...Array.from({ length: 16 }, () => chunk)),
  );
  await expect
    .poll(() => page.locator("li.step .text").evaluate((each) => each.textContent.length))
    .toBe(16 * chunk.length);
  await expectInert(page);
  await expectUsable(page);
});

/** Of the inputs; the others wait in the queue. */
const DELIVERED = 30;

/** input_admitted, turn_started, input_delivered, step_started, step_completed, turn_ended. */
const FACTS_A_TURN = 6;

function begun(name: string, admittedAt: number): Script {
  return new Script(name).admit("Go on.").take(`inp_${name}1`, formatPosition(admittedAt, 0)).begin();
}

function saidAndDone(hostile: string): Script {
  const short = hostile.slice(0, 20_000);
  const made: Call[] = [
    { call: "call_1", name: "shell", args: { command: short, cwd: short.slice(0, 100) } },
    { call: "call_2", name: hostile.slice(0, 60), args: { [hostile.slice(0, 60)]: short } },
    { call: "call_3", name: "edit", args: { path: short.slice(0, 200), old: short, new: `${short}!` } },
  ];
  const said = hostile.slice(0, 60_000);
  const script = begun("a", 2).complete([reasoning(said.slice(0, 20_000)), text(said), ...made.map(calls)]);
  for (const call of made) script.start(call).finish(call, short);
  return script.end();
}

/** Within the page, as Back and Forward would. */
async function goTo(page: WatchedPage, session: string): Promise<void> {
  await page.evaluate((path) => {
    history.pushState(null, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
  }, `/sessions/${session}`);
}

/** From the beginning to the end, a window at a time; gives the rows that were in the document. */
async function walkThrough(page: WatchedPage, look: () => Promise<void>): Promise<Set<string>> {
  const log = page.getByRole("region", { name: "Transcript" });
  const seen = new Set<string>();
  await log.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => log.evaluate((box) => box.scrollTop)).toBe(0);
  for (let windows = 0; windows < 1000; windows++) {
    await look();
    const { ids, isAtEnd } = await log.evaluate(async (box) => {
      const ids = Array.from(box.querySelectorAll("li.message[id]"), ({ id }) => id);
      const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
      box.scrollTop += box.clientHeight;
      for (let frames = 0; frames < 2; frames++) await new Promise((done) => requestAnimationFrame(done));
      return { ids, isAtEnd };
    });
    for (const id of ids) seen.add(id);
    if (isAtEnd) return seen;
  }
  throw new Error("the transcript has no end");
}

async function openAll(page: WatchedPage): Promise<void> {
  await page
    .locator("main details:not([open]) > summary")
    .evaluateAll((all) => all.forEach((each) => (each as HTMLElement).click()));
}

/** Nothing in the document could run or load, whoever would touch it. */
async function expectInert(page: WatchedPage, name = ""): Promise<void> {
  const found = await page.evaluate(() => {
    const within = [...document.querySelectorAll("#main *")];
    const active = within.filter((each) =>
      each.matches(
        "script, style, link, meta, base, iframe, object, embed, img, video, audio, source, math, template",
      ),
    );
    const prose = within.filter((each) => each.closest(".prose, .tool, .text"));
    const named = prose.filter((each) => each.matches("[id], [name], [style], [srcset], [background], form"));
    const handled = prose.filter((each) => each.getAttributeNames().some((name) => name.startsWith("on")));
    const links = prose.filter((each) => each.matches("a[href]")) as HTMLAnchorElement[];
    const bad = links.filter(
      ({ href, target, rel, origin }) =>
        !/^(https?|mailto):/.test(href) ||
        (origin === location.origin
          ? !href.startsWith(`${origin}/sessions/`)
          : target !== "_blank" || !rel.includes("noopener")),
    );
    return {
      owned: "owned" in window && (window as { owned?: unknown }).owned === 1,
      title: document.title === "owned",
      elements: [...active, ...named, ...handled, ...bad].map((each) => each.outerHTML.slice(0, 200)),
    };
  });
  expect({ name, ...found }).toEqual({ name, owned: false, title: false, elements: [] });
  expect(dialogs).toEqual([]);
  expectNoFaults(page);
}

async function expectUsable(page: WatchedPage): Promise<void> {
  const composer = page.locator(".compose textarea");
  await composer.fill("still here");
  expect(await composer.inputValue()).toBe("still here");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  expect(new URL(page.url()).origin).toBe(visit.server.url);
}

async function open(session: string): Promise<WatchedPage> {
  const page = await visit.open();
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await page.getByRole("region", { name: "Transcript" }).waitFor();
  return page;
}
