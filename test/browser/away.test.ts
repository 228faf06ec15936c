// Leaving a session and coming back to it, in a real browser: what came meanwhile is counted and shown where it began.
import { beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import type { ServerFrame } from "../../src/protocol/socket.ts";
import { calls, Script, text, type Call } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, expectNoFaultsButDeaths, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let session: string;
let page: WatchedPage;
/** What the server counted, each time it said that all was there. */
let counted: Extract<ServerFrame, { op: "caught_up" }>["missed"][];

beforeEach(async () => {
  session = await visit.server.create("At work");
  await visit.server.play(session, firstTurn());
  page = await visit.open();
  counted = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const frame = JSON.parse(String(payload)) as ServerFrame;
      if (frame.op === "caught_up" && frame.session === session) counted.push(frame.missed);
    }),
  );
});

test("whoever opens a session again is told what came, as the server counts it, and is led to where they left off", async () => {
  await read();
  await page.goto(`${visit.server.url}/new`);
  counted.length = 0;
  await visit.server.append(session, work(3));
  await visit.server.append(session, [approval]);
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await banner("While you were away: 3 messages, 3 tool calls, 1 approval").waitFor();
  expect(counted).toEqual([{ messages: 3, tools: 3, asks: 1 }]);

  await page.getByRole("button", { name: /^While you were away/ }).click();
  const line = page.getByText(/^you were here · \d\d:\d\d$/);
  await line.waitFor();
  expect(await neighboursOfLine()).toEqual(["turn_a2/end", "step_w0.1"]);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => banner("While you were away").count()).toBe(0);
  expect(await line.isVisible()).toBe(true);
  expectNoFaults(page);
});

test("what came while the server was away is told when it is back, and nothing is blanked meanwhile", async () => {
  await read();
  await visit.server.kill();
  await page
    .getByText(/^reconnecting/)
    .first()
    .waitFor();
  expect(await page.getByText("The first answer.").isVisible()).toBe(true);
  counted.length = 0;
  await visit.server.start();
  await visit.server.append(session, work(2));
  await visit.server.listen();
  await banner("Reconnected: 2 messages, 2 tool calls while you were away").waitFor();
  expect(counted).toEqual([{ messages: 2, tools: 2, asks: 0 }]);
  expect(await neighboursOfLine()).toEqual(["turn_a2/end", "step_w0.1"]);
  expectNoFaultsButDeaths(page);
});

test("what came while another session was on screen is told, though the tab had heard it", async () => {
  const other = await visit.server.create("Another");
  await read();
  await page.getByRole("link", { name: /Another/ }).click();
  await page.getByRole("heading", { name: "Another" }).waitFor();
  counted.length = 0;
  await visit.server.append(session, work(2));
  await expect.poll(unread).toBe(2);
  await page.getByRole("link", { name: /At work/ }).click();
  await banner("While you were away: 2 messages, 2 tool calls").waitFor();
  expect(counted).toEqual([]); // it was never left
  expect(await neighboursOfLine()).toEqual(["turn_a2/end", "step_w0.1"]);
  await expect.poll(unread).toBe(0);

  // Read, and nothing since: another visit is told nothing.
  await page.getByRole("link", { name: /Another/ }).click();
  await page.getByRole("heading", { name: "Another" }).waitFor();
  await page.getByRole("link", { name: /At work/ }).click();
  await page.getByText("Answer 1.").waitFor();
  expect(await banner("While you were away").count()).toBe(0);
  expect(await page.getByText(/^you were here/).count()).toBe(0);
  expect(other).toMatch(/^ses_/);
  expectNoFaults(page);
});

test("the words go by themselves once the end has been read, and the line stays for the visit", async () => {
  await read();
  await page.goto(`${visit.server.url}/new`);
  await visit.server.append(session, work(1));
  await page.clock.install();
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await banner("While you were away: 1 message, 1 tool call").waitFor();
  await page.clock.fastForward(60_000);
  await expect.poll(() => banner("While you were away").count()).toBe(0);
  expect(await page.getByText(/^you were here/).isVisible()).toBe(true);
  expectNoFaults(page);
});

test("what lies far above the end is reached from the words, however much came", async () => {
  await read();
  await page.goto(`${visit.server.url}/new`);
  await visit.server.append(session, work(120));
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await page.getByText("Answer 119.").waitFor();
  await page.getByRole("button", { name: "While you were away: 120 messages, 120 tool calls" }).click();
  await page.getByText(/^you were here/).waitFor();
  expect(await neighboursOfLine()).toEqual(["turn_a2/end", "step_w0.1"]);
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByText("Answer 119.").waitFor();
  await expect.poll(() => banner("While you were away").count()).toBe(0);
  expectNoFaults(page);
});

const approval: NewEvent = {
  type: "ask_opened",
  data: { ask: "ask_1", kind: "approval", title: "It deletes files.", command: "rm -r build" },
};

function firstTurn(): Script {
  return new Script("a")
    .admit("Begin.")
    .take("inp_a1", formatPosition(2, 0))
    .begin()
    .complete([text("The first answer.")])
    .end();
}

/** Each is a message and a tool call. */
function work(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, n): NewEvent[] => {
    const step = `step_w${n}`;
    const call: Call = { call: `call_w${n}`, name: "shell", args: { command: "true" } };
    return [
      { type: "step_started", data: { turn: "turn_w", step, attempt: 1, model: "claude-sonnet" } },
      { type: "step_completed", data: { step, attempt: 1, message: [text(`Answer ${n}.`), calls(call)] } },
      { type: "tool_proposed", data: { step, ...call, effect: "read" } },
      { type: "tool_started", data: { call: call.call } },
      { type: "tool_finished", data: { call: call.call, status: "ok", result: "", exit: 0 } },
    ];
  }).flat();
}

/** Opens the session and waits until its end counts as seen. */
async function read(): Promise<void> {
  await page.goto(`${visit.server.url}/sessions/${session}`);
  await page.getByText("The first answer.").waitFor();
  await expect.poll(unread).toBe(0);
}

function banner(words: string) {
  return page.getByRole("status").getByText(words);
}

function neighboursOfLine(): Promise<(string | undefined)[]> {
  return page
    .locator("li.left-off")
    .evaluate((line) => [line.previousElementSibling?.id, line.nextElementSibling?.id]);
}

async function unread(): Promise<number> {
  const answer = await visit.server.fetch(`/api/sessions/${session}`);
  return ((await answer.json()) as { unread: number }).unread;
}
