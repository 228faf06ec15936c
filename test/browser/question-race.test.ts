// Words and a question that cross: whoever had not seen a question when they began to write does not answer it.
import { beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { Script } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let session: string;

beforeEach(async () => {
  session = await visit.server.create("A question");
  await visit.server.play(session, new Script("a").admit("go").take("inp_a1", formatPosition(2, 0)).begin());
});

test("words that were begun before a question came are queued, and the question stays open", async () => {
  const page = await open();
  await composer(page).fill("and then deploy");
  await visit.server.append(session, [QUESTION]);
  await page.getByText("A question came after you began to write").waitFor();
  await composer(page).press("Enter");
  await waiting(page).getByText("waits: the question is still open").waitFor();
  expect(await viewOf()).toMatchObject({ asks: [{ ask: "ask_1" }], queue: [{ text: "and then deploy" }] });
  await expect.poll(() => composer(page).getAttribute("placeholder")).toBe("Enter answers the question");
  await composer(page).fill("blue");
  await composer(page).press("Enter");
  await expect.poll(async () => (await viewOf()).asks).toEqual([]);
  expect((await viewOf()).queue).toHaveLength(1);
  expectNoFaults(page);
});

test("they answer it once the person says so, also after a reload", async () => {
  const page = await open();
  await composer(page).fill("blue");
  await visit.server.append(session, [QUESTION]);
  await page.getByText("A question came after you began to write").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Answer with this" }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).first().waitFor();
  await page.keyboard.press("Enter"); // the focus is back in the composer
  await expect.poll(async () => (await viewOf()).asks).toEqual([]);
  expect((await viewOf()).queue).toEqual([]);
  expectNoFaults(page);
});

test("a question that the page has not heard of yet is not answered by what it sends", async () => {
  const page = await open();
  // The question is in the log when the words arrive, and the page learns of it only afterwards.
  await page.route("**/inputs", async (route) => {
    await visit.server.append(session, [QUESTION]);
    await route.continue();
  });
  await composer(page).fill("and then deploy");
  await composer(page).press("Enter");
  await waiting(page).getByText("waits: the question is still open").waitFor();
  expect(await viewOf()).toMatchObject({ asks: [{ ask: "ask_1" }], queue: [{ text: "and then deploy" }] });
  expectNoFaults(page);
});

test("who answers a question that another device has answered gets the words back", async () => {
  await visit.server.append(session, [QUESTION]);
  const page = await open();
  await page.route(
    "**/inputs",
    async (route) => {
      await visit.call("POST", "/api/asks/ask_1/answer", { text: "red" });
      await route.continue();
    },
    { times: 1 },
  );
  await composer(page).fill("blue");
  await composer(page).press("Enter");
  await page.getByText("Not sent: the question is no longer open. Your text is back below.").waitFor();
  expect(await composer(page).inputValue()).toBe("blue");
  expect((await viewOf()).queue).toEqual([]);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect.poll(async () => (await viewOf()).queue).toMatchObject([{ text: "blue" }]);
  expectNoFaults(page, /status of 409/);
});

test("words for a question that another device has answered since do not answer the next one", async () => {
  await visit.server.append(session, [QUESTION, OTHER_QUESTION]);
  const page = await open();
  await composer(page).fill("blue");
  await visit.call("POST", "/api/asks/ask_1/answer", { text: "red" });
  await page.getByText("The question that you began to write for is closed").waitFor();
  await composer(page).press("Enter");
  await expect.poll(async () => (await viewOf()).queue).toMatchObject([{ text: "blue" }]);
  expect(await viewOf()).toMatchObject({ asks: [{ ask: "ask_2" }] });
  expectNoFaults(page);
});

test("/approve allows what was asked when it was begun, and not what stands there since", async () => {
  await visit.server.append(session, [
    approval("ask_3", "echo harmless"),
    approval("ask_4", "echo dangerous"),
  ]);
  const page = await open();
  await page.getByText("echo dangerous").first().waitFor();
  await composer(page).fill("/approve");
  await visit.call("POST", "/api/asks/ask_3/answer", { choice: "deny" });
  await expect.poll(() => page.getByText("Waits for your approval").count()).toBe(1);
  await composer(page).press("Enter");
  await page.getByText("What you began this for is closed").waitFor();
  expect(await viewOf()).toMatchObject({ asks: [{ ask: "ask_4" }] });
  await composer(page).fill("");
  await composer(page).fill("/approve");
  await composer(page).press("Enter");
  await expect.poll(async () => (await viewOf()).asks).toEqual([]);
  expectNoFaults(page);
});

const QUESTION: NewEvent = {
  type: "ask_opened",
  data: { ask: "ask_1", kind: "clarify", title: "Which colour?" },
};

const OTHER_QUESTION: NewEvent = {
  type: "ask_opened",
  data: { ask: "ask_2", kind: "clarify", title: "Which size?" },
};
const approval = (ask: string, command: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "approval", title: `shell: ${command}`, command, cwd: "/work" },
});

async function open(): Promise<WatchedPage> {
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("heading", { name: "A question" }).waitFor();
  return page;
}

async function viewOf(): Promise<View> {
  return (await visit.call<{ view: View }>("GET", `/api/sessions/${session}`)).view;
}

const composer = (page: WatchedPage) => page.getByRole("textbox", { name: "Message" });
const waiting = (page: WatchedPage) => page.getByRole("list", { name: "Waiting inputs" });
