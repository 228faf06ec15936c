// The side panel on a real server with real processes: what a session runs is seen, heard, reached and stopped.
import { expect, test } from "vitest";
import type { Told } from "../agent-server.ts";
import type { Answer } from "../stub-model.ts";
import { useAgentServer } from "./visit.ts";
import {
  expectNoFaults,
  expectNoFaultsButDeaths,
  type PageOptions,
  type WatchedPage,
} from "./watched-page.ts";

const visit = useAgentServer({ says });

const UNTIL_STOPPED =
  "printf 'up \\033[31mred\\033[0m\\n'; trap 'echo bye; exit 3' TERM; while :; do sleep 0.1; done";

/** `run` and `read` start something in the background; `delegate` gives work away; all else is repeated. */
function says({ prompts, results }: Told): Answer {
  const last = prompts.at(-1) ?? "";
  if (results.length > 0) return { reply: "message", text: "Done." };
  if (last === "run") return shell({ command: UNTIL_STOPPED, background: true });
  if (last === "read") return shell({ command: "cat", background: true, stdin: true });
  if (last === "delegate")
    return { reply: "message", calls: [{ name: "delegate", args: { prompt: "Count the herons" } }] };
  return { reply: "message", text: `Heard: ${last}` };
}

function shell(args: Record<string, unknown>): Answer {
  return { reply: "message", calls: [{ name: "shell", args }] };
}

test("a process is seen with how it does, heard as it speaks, and stopped; its end stays", async () => {
  const session = await sent("run");
  const page = await open(session);
  await panelButton(page).click();
  const process = panel(page).getByRole("listitem").filter({ hasText: "while :;" });
  await process.getByText(/^(running|working|waiting|service)$/).waitFor();
  await process.locator("summary").click();
  await process.getByText("up red").waitFor();
  await process.getByText(visit.server.workspace).waitFor();
  expect(await process.getByRole("textbox").count()).toBe(0); // it was started without a standard input

  await process.getByRole("button", { name: "Stop", exact: true }).click();
  await panel(page).getByText("Nothing runs.").waitFor();
  await panel(page).getByText("1 ended").click();
  await process.getByText("stopped, exit 3").waitFor();
  await process.locator("summary").click();
  await process.getByLabel("Output").filter({ hasText: "bye" }).waitFor();
  expectNoFaults(page);
});

test("a process that reads is written to", async () => {
  const session = await sent("read");
  const page = await open(session);
  await panelButton(page).click();
  const process = panel(page).getByRole("listitem").filter({ hasText: "cat" });
  await process.locator("summary").click();
  await process.getByText("It has said nothing yet.").waitFor();
  await process.getByRole("textbox", { name: "A line for its standard input" }).fill("a heron");
  await page.keyboard.press("Enter");
  await process.getByLabel("Output").getByText("a heron").waitFor();
  await process.getByRole("button", { name: "Stop with a signal" }).click();
  await page.getByRole("menuitem", { name: /SIGHUP/ }).click();
  await panel(page).getByText("Nothing runs.").waitFor();
  expectNoFaults(page);
});

test("a process that begins or ends while the panel is open is seen at once, and strangers are not", async () => {
  const page = await open(await sent("hello"));
  await panelButton(page).click();
  await panel(page).getByText("Nothing runs.").waitFor();
  await sent("read"); // in another session
  await page.getByRole("textbox", { name: "Message" }).fill("run");
  await page.keyboard.press("Enter");
  await panel(page).getByText("1 running").waitFor();
  expect(await panel(page).locator(".process").count()).toBe(1);
  await page.getByRole("button", { name: "About this session: a process runs" }).waitFor();
  expectNoFaults(page);
});

test("while the server is away no process grows older", async () => {
  const page = await open(await sent("run"));
  await page.clock.install();
  await page.reload();
  await panelButton(page).click();
  const measures = panel(page).locator(".process .measures");
  await measures.waitFor();
  await visit.server.kill();
  await page
    .getByText(/^reconnecting/)
    .first()
    .waitFor();
  const before = await measures.textContent();
  await page.clock.fastForward(3_600_000);
  expect(await measures.textContent()).toBe(before);
  await visit.server.start();
  await expect.poll(() => measures.textContent()).toContain("1 h 00 m");
  expectNoFaultsButDeaths(page);
});

test("on a wide window the panel stays as it was left, over a reload and in every session", async () => {
  const [first, second] = [await sent("hello"), await sent("good day")];
  const page = await open(first);
  await panelButton(page).click();
  await page.reload();
  await panel(page).getByText(first).waitFor();
  await page.goto(`${visit.server.url}/sessions/${second}`);
  await panel(page).getByText(second).waitFor();
  await panel(page).getByRole("button", { name: "Close" }).click();
  await expect.poll(() => panel(page).count()).toBe(0);
  expectNoFaults(page);
});

test("on a phone it is a sheet: a reload keeps it, Back and Escape close it, and nothing sticks out", async () => {
  const session = await sent("run");
  const page = await open(session, { width: 390, height: 844 });
  await panelButton(page).click();
  const sheet = page.getByRole("dialog", { name: "About this session" });
  await sheet.getByText("1 running").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await sheet.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.reload();
  await sheet.getByText("1 running").waitFor();
  await page.goBack();
  await expect.poll(() => sheet.count()).toBe(0);
  expect(page.url()).toContain(session);
  await panelButton(page).click();
  await sheet.waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => sheet.count()).toBe(0);
  await panelButton(page).waitFor();
  expectNoFaults(page);
});

test("the panel says what was used, who works where, and where the session comes from", async () => {
  const session = await sent("hello");
  const { id: successor } = await visit.call<{ id: string }>("POST", `/api/sessions/${session}/undo`);
  await visit.server.send("delegate", successor);
  await visit.server.untilFact(successor, "turn_ended");
  const page = await open(successor);
  await panelButton(page).click();
  await panel(page).getByText("stub/one").waitFor();
  await panel(page).getByText(visit.server.workspace).first().waitFor();
  await panel(page)
    .getByText(/^15 of 128k$/)
    .waitFor();
  await panel(page).getByText("By turn").click();
  await panel(page).getByText("completed").first().waitFor();
  await panel(page)
    .getByRole("link", { name: /Count the herons/ })
    .click();
  await page.getByText("Heard: Count the herons").waitFor();
  await page.goBack();
  await panel(page).getByRole("definition").getByRole("link").first().click();
  await page.getByText("This session has ended (undone).").waitFor();
  expect(page.url()).toContain(session);
  expectNoFaults(page);
});

async function sent(text: string): Promise<string> {
  const session = await visit.server.send(text);
  await visit.server.untilFact(session, "turn_ended");
  return session;
}

async function open(session: string, size?: PageOptions): Promise<WatchedPage> {
  const page = await visit.open(`/sessions/${session}`, size);
  await panelButton(page).waitFor();
  return page;
}

function panelButton(page: WatchedPage) {
  return page.getByRole("button", { name: "About this session" });
}

function panel(page: WatchedPage) {
  return page.locator(".panel");
}
