// What waits for an agent, in a real browser: on a server whose executor takes nothing up.
import type { Locator } from "playwright-core";
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

test("a long word in a waiting input wraps, and nothing sticks out of its row", async () => {
  const word = "x".repeat(400);
  await visit.server.append(session, [admitted(1, word), admitted(2, "short")], "owner");
  const page = await open({ width: 390, height: 844 });
  const text = rowOf(page, word).locator(".text");
  await text.waitFor();
  expect(await text.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  expect(await text.evaluate(({ clientHeight }) => clientHeight)).toBeGreaterThan(40);
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

test("what waits is moved by keys from any button of its row, and the focus goes with it", async () => {
  await visit.server.append(session, [admitted(1, "one"), admitted(2, "two"), admitted(3, "three")], "owner");
  const page = await open();
  await waiting(page).getByText("three").waitFor();
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.press("Shift+Tab");
  const remove = rowOf(page, "three").getByRole("button", { name: "Remove" });
  await expectFocused(remove);
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => texts(page)).toEqual(["one", "three", "two"]);
  await expectFocused(remove);
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => texts(page)).toEqual(["three", "one", "two"]);
  await expectFocused(remove);
  await page.keyboard.press("Alt+ArrowUp"); // there is nothing above it
  // Where Move down becomes impossible, its row keeps the focus.
  const down = rowOf(page, "three").getByRole("button", { name: "Move down" });
  await down.focus();
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => texts(page)).toEqual(["one", "three", "two"]);
  await expectFocused(down);
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => texts(page)).toEqual(["one", "two", "three"]);
  await expectFocused(rowOf(page, "three"));
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

test("the files of a waiting input are shown as in a message, and stay, go and come with a change of it", async () => {
  await send("read these", ["first.txt", "second.txt"]);
  const page = await open();
  const row = onlyRow(page);
  const address = await row.getByRole("link", { name: "first.txt" }).getAttribute("href");
  expect(await (await visit.server.fetch(address ?? "")).text()).toBe("in first.txt");

  await row.getByRole("button", { name: "Edit" }).click();
  await edit(row).pressSequentially(", please");
  await edit(row).press("Enter");
  await expect.poll(queued).toEqual([["read these, please", ["first.txt", "second.txt"]]]);

  await row.getByRole("button", { name: "Edit" }).click();
  await row.getByRole("button", { name: "Remove first.txt" }).click();
  await row.locator("input[type=file]").setInputFiles([file("third.txt")]);
  await edit(row).evaluate((field) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "dropped.txt"));
    field.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  });
  await row.getByRole("listitem").filter({ hasText: "dropped.txt" }).filter({ hasText: "1 B" }).waitFor();
  await page.reload(); // the change is not made yet, and not lost either
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByRole("link", { name: "third.txt" }).waitFor();
  expect(await queued()).toEqual([["read these, please", ["second.txt", "third.txt", "dropped.txt"]]]);
  expect(await page.getByRole("list", { name: "Attached files" }).count()).toBe(0);
  expectNoFaults(page);
});

test("a change that was kept without files, by the page before it knew of them, takes none from the input", async () => {
  await send("read this", ["first.txt"]);
  const page = await open();
  const row = onlyRow(page);
  await row.getByRole("button", { name: "Edit" }).click();
  await edit(row).pressSequentially(", please");
  await page.evaluate((key) => {
    const { files: _, ...kept } = JSON.parse(localStorage.getItem(key) ?? "") as Record<string, unknown>;
    localStorage.setItem(key, JSON.stringify(kept));
  }, `holdfast:edit:queue:${session}`);
  await page.reload();
  await row.getByRole("button", { name: "Save" }).click();
  await expect.poll(queued).toEqual([["read this, please", ["first.txt"]]]);
  expectNoFaults(page);
});

test("a change is saved once its files are up, and not without one that can't go up", async () => {
  await send("read this", []);
  const page = await open();
  const row = onlyRow(page);
  await row.getByRole("button", { name: "Edit" }).click();
  const problem = { type: "x", title: "x", status: 413, code: "too_large", detail: "It has too much." };
  await page.route("**/api/files*", (route) =>
    route.fulfill({ status: 413, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await row.locator("input[type=file]").setInputFiles([file("late.txt")]);
  await row.getByRole("alert").filter({ hasText: "not uploaded: It has too much." }).waitFor();
  expect(await row.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await page.unrouteAll();
  const goOn = Promise.withResolvers<void>();
  await page.route("**/api/files*", async (route) => {
    await goOn.promise;
    await route.continue();
  });
  await row.getByRole("button", { name: "Retry" }).click();
  await row.getByText("uploading").waitFor();
  await edit(row).press("Enter");
  expect(await queued()).toEqual([["read this", []]]);
  goOn.resolve();
  await expect.poll(queued).toEqual([["read this", ["late.txt"]]]);
  expectNoFaults(page, /status of 413/);
});

test("files of a change go to the composer with its words when the input was taken meanwhile", async () => {
  const input = await send("read this", []);
  const page = await open();
  const row = onlyRow(page);
  await row.getByRole("button", { name: "Edit" }).click();
  await row.locator("input[type=file]").setInputFiles([file("more.txt")]);
  await row.getByRole("listitem").filter({ hasText: "11 B" }).waitFor();
  await visit.call("DELETE", `/api/sessions/${session}/inputs/${input}`);
  await page.getByText("Your words (and a file)").waitFor();
  await page.getByRole("button", { name: "Put them below" }).click();
  await page.getByRole("list", { name: "Attached files" }).getByText("more.txt").waitFor();
  expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("read this");
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

async function send(text: string, names: readonly string[]): Promise<string> {
  const attachments = await Promise.all(names.map(upload));
  const path = `/api/sessions/${session}/inputs`;
  return (await visit.call<{ input: string }>("POST", path, { kind: "prompt", text, attachments })).input;
}

async function upload(name: string): Promise<{ file: string }> {
  const answer = await visit.server.fetch(`/api/files?name=${name}`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: `in ${name}`,
  });
  return { file: ((await answer.json()) as { file: string }).file };
}

function file(name: string) {
  return { name, mimeType: "text/plain", buffer: Buffer.from(`in ${name}`) };
}

async function queued(): Promise<[text: unknown, files: string[]][]> {
  const { view } = await visit.call<{ view: View }>("GET", `/api/sessions/${session}`);
  return view.queue.map(({ text, attachments }) => [text, attachments.map(({ name }) => name)]);
}

function edit(row: Locator) {
  return row.getByRole("textbox", { name: "Change the waiting input" });
}

function admitted(n: number, text: string, more: { kind?: "steer"; delivery?: "now" } = {}): NewEvent {
  return { type: "input_admitted", data: { input: `inp_${n}`, kind: "prompt", text, ...more } };
}

function waiting(page: WatchedPage) {
  return page.getByRole("list", { name: "Waiting inputs" });
}

async function expectFocused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((each) => each === document.activeElement)).toBe(true);
}

function rowOf(page: WatchedPage, text: string) {
  return waiting(page).locator("> li").filter({ hasText: text });
}

/** Also while it is being changed, when its text is not in the row but in a field. */
function onlyRow(page: WatchedPage) {
  return waiting(page).locator("> li");
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
