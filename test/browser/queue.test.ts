// What waits for an agent, in a real browser: on a server whose executor takes nothing up.
import { beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { Script } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type PageOptions, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let session: string;

beforeEach(async () => {
  session = await visit.server.create("A long queue");
});

test.each([
  ["wide", { width: 1280, height: 800 }],
  ["phone's", { width: 390, height: 844 }],
])("with fifty inputs waiting the composer stays in a %s window", async (_, size) => {
  await visit.server.append(
    session,
    Array.from({ length: 49 }, (__, n) => admitted(n + 1, `input ${n + 1}`)),
    "owner",
  );
  const page = await open(size);
  await waiting(page).getByText("input 49").waitFor();
  expect(
    await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight),
  ).toBe(0);
  const composer = page.getByRole("textbox", { name: "Message" });
  const box = await composer.boundingBox();
  expect(box!.y + box!.height).toBeLessThan(size.height);

  // The newest is in view, and the oldest is reached without a mouse.
  await expect.poll(() => isInView(page, "input 49")).toBe(true);
  await visit.server.append(session, [admitted(50, "input 50")], "owner");
  await expect.poll(() => isInView(page, "input 50")).toBe(true);
  expect(await isInView(page, "input 1")).toBe(false);
  await composer.focus();
  await page.keyboard.press("Shift+Tab");
  expect(await waiting(page).evaluate((list) => list.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Home");
  await expect.poll(() => isInView(page, "input 1")).toBe(true);
  expectNoFaults(page);
});

test("a steer and what goes at once are told apart from what waits for its turn", async () => {
  await visit.server.append(
    session,
    [
      admitted(1, "in line"),
      admitted(2, "a little to the left", { kind: "steer" }),
      admitted(3, "drop it", { delivery: "now" }),
    ],
    "owner",
  );
  const page = await open();
  const noteOf = (text: string) =>
    waiting(page).getByRole("listitem").filter({ hasText: text }).locator(".note").textContent();
  expect(await noteOf("in line")).toBe("waiting for its turn");
  expect(await noteOf("a little to the left")).toBe("steers at the next step");
  expect(await noteOf("drop it")).toBe("goes first, at once");
  expectNoFaults(page);
});

test("a pinned session leads the list under its own heading, until it is unpinned", async () => {
  await visit.call("PATCH", `/api/sessions/${session}`, { pinned: true });
  const page = await open();
  const heading = page.getByRole("navigation", { name: "Sessions" }).getByText("Pinned", { exact: true });
  await heading.waitFor();
  await visit.call("PATCH", `/api/sessions/${session}`, { pinned: false });
  await expect.poll(() => heading.count()).toBe(0);
  expectNoFaults(page);
});

test("what waits is edited, moved and removed, by pointer and by keys", async () => {
  await visit.server.append(session, [admitted(1, "one"), admitted(2, "two"), admitted(3, "three")], "owner");
  const page = await open();
  await rowOf(page, "two").getByRole("button", { name: "Move up" }).click();
  await expect.poll(() => texts(page)).toEqual(["two", "one", "three"]);
  await rowOf(page, "three").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => texts(page)).toEqual(["two", "three", "one"]);
  await rowOf(page, "one").focus();
  await page.keyboard.press("Enter");
  const editor = page.getByRole("textbox", { name: "Change the waiting input" });
  await editor.fill("one more");
  await page.reload(); // the change is not made yet, and not lost either
  expect(await editor.inputValue()).toBe("one more");
  await editor.press("Enter");
  await expect.poll(() => texts(page)).toEqual(["two", "three", "one more"]);
  await rowOf(page, "two").focus();
  await page.keyboard.press("Delete");
  await expect.poll(() => texts(page)).toEqual(["three", "one more"]);
  const { view } = await visit.call<{ view: View }>("GET", `/api/sessions/${session}`);
  expect(view.queue.map(({ text }) => text)).toEqual(["three", "one more"]);
  expectNoFaults(page);
});

test("what waits is dragged to another place", async () => {
  await visit.server.append(session, [admitted(1, "one"), admitted(2, "two"), admitted(3, "three")], "owner");
  const page = await open();
  await rowOf(page, "three").dragTo(rowOf(page, "one"), { targetPosition: { x: 60, y: 4 } });
  await expect.poll(() => texts(page)).toEqual(["three", "one", "two"]);
  await rowOf(page, "three").dragTo(rowOf(page, "two"), { targetPosition: { x: 60, y: 28 } });
  await expect.poll(() => texts(page)).toEqual(["one", "two", "three"]);
  expectNoFaults(page);
});

test("at 390 px the same is done from a menu", async () => {
  await visit.server.append(session, [admitted(1, "one"), admitted(2, "two")], "owner");
  const page = await open({ width: 390, height: 844 });
  await rowOf(page, "two").getByRole("button", { name: "Change this input" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  await expect.poll(() => texts(page)).toEqual(["two", "one"]);
  expectNoFaults(page);
});

test("words for an input that is taken while it is being changed go to the composer", async () => {
  const script = new Script("a").admit("one");
  await visit.server.play(session, script);
  const page = await open();
  await rowOf(page, "one").getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Change the waiting input" }).fill("one, but better");
  await visit.server.append(session, [
    { type: "turn_started", data: { turn: "turn_1", inputs: ["inp_a1"] } },
    { type: "input_delivered", data: { input: "inp_a1", turn: "turn_1", from: formatPosition(2, 0) } },
  ]);
  await page.getByText("The input that you were changing no longer waits").waitFor();
  await page.getByRole("button", { name: "Put them below" }).click();
  expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("one, but better");
  expectNoFaults(page);
});

test("who is too late to change what waits is told what became of it", async () => {
  await visit.server.append(session, [admitted(1, "one"), admitted(2, "two")], "owner");
  const page = await open();
  await rowOf(page, "one").waitFor();
  const problem = {
    type: "x",
    title: "x",
    status: 409,
    code: "not_queued",
    detail: "x",
    input: { state: "delivered" },
  };
  await page.route("**/inputs/inp_1", (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await rowOf(page, "one").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alert").filter({ hasText: "The agent has taken it already" }).waitFor();
  expect(await texts(page)).toEqual(["one", "two"]);
});

test("a waiting input is steered with while a turn runs", async () => {
  await visit.server.play(session, new Script("a").admit("go").take("inp_a1", formatPosition(2, 0)).begin());
  await visit.server.append(session, [admitted(9, "a little to the left")], "owner");
  const page = await open();
  await rowOf(page, "a little to the left").getByRole("button", { name: "Steer now" }).click();
  await rowOf(page, "a little to the left").getByText("steers at the next step").waitFor();
  await rowOf(page, "a little to the left").getByRole("button", { name: "Queue instead" }).click();
  await rowOf(page, "a little to the left").getByText("waiting for its turn").waitFor();
  expectNoFaults(page);
});

async function open(size?: PageOptions): Promise<WatchedPage> {
  const page = await visit.open(`/sessions/${session}`, size);
  await page.getByRole("heading", { name: "A long queue" }).waitFor();
  return page;
}

function admitted(n: number, text: string, more: { kind?: "steer"; delivery?: "now" } = {}): NewEvent {
  return { type: "input_admitted", data: { input: `inp_${n}`, kind: "prompt", text, ...more } };
}

function waiting(page: WatchedPage) {
  return page.getByRole("list", { name: "Waiting inputs" });
}

function rowOf(page: WatchedPage, text: string) {
  return waiting(page).getByRole("listitem").filter({ hasText: text });
}

function texts(page: WatchedPage): Promise<string[]> {
  return waiting(page).locator("li .text").allTextContents();
}

function isInView(page: WatchedPage, text: string): Promise<boolean> {
  return waiting(page).evaluate((list, wanted) => {
    const row = [...list.children].find((child) => child.querySelector(".text")?.textContent === wanted);
    const [frame, place] = [list.getBoundingClientRect(), row?.getBoundingClientRect()];
    return place !== undefined && place.top >= frame.top - 1 && place.bottom <= frame.bottom + 1;
  }, text);
}
