// Asks in a real browser: what is shown to judge by, and that one answer counts, whoever gives it and from wherever.
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useStage, type Begun } from "./matrix/stage.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const stage = useStage();

test("a card shows the whole command with what hides in it, where it runs, how freely, and what Always saves", async () => {
  const { session } = await askToRun("Judge", "echo shown\rrm -rf \u202ex", { timeoutSeconds: 30 });
  const page = await stage.open(`/sessions/${session}`);
  const card = cards(page);
  expect(await card.locator("pre").first().innerText()).toBe("echo shownU+000Drm -rf U+202Ex");
  await card.getByText("timeoutSeconds").waitFor();
  await card.getByText(`in ${stage.server.workspace}`).waitFor();
  await card.getByText("not sandboxed").waitFor();
  await card.getByText(/Always saves a rule for exactly this: shell, these arguments/).waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  await expect.poll(() => card.count()).toBe(0);
  expectNoFaults(page);
});

test("a card without a command shows each thing that the call was given, once, and where a link leads", async () => {
  await symlink("/etc", join(stage.server.workspace, "way"));
  const { session, prompt } = await stage.begin("Search", "careful");
  (await stage.model.asked(prompt)).call("search", { pattern: "ro{2}t", path: "way/passwd" }).end();
  await stage.server.untilFact(session, "ask_opened");
  const page = await stage.open(`/sessions/${session}`);
  const card = cards(page);
  await card.getByText("way/passwd", { exact: true }).waitFor();
  const shown = await card.innerText();
  for (const once of ["ro{2}t", "way/passwd", "/etc/passwd"]) expect(shown.split(once)).toHaveLength(2);
  const inbox = await stage.open("/inbox");
  const listed = cards(inbox).filter({ hasText: "way/passwd" });
  await listed.getByRole("button", { name: "Deny" }).click();
  await stage.server.untilFact(session, "ask_answered");
  expectNoFaults(page);
  expectNoFaults(inbox);
});

test("a denial goes with its word, and the agent is told", async () => {
  const { session, prompt } = await askToRun("Deny", "rm -rf build");
  const page = await stage.open(`/sessions/${session}`);
  await cards(page).getByRole("textbox").fill("not on a Friday");
  await cards(page).getByRole("button", { name: "Deny" }).click();
  const speaker = await stage.model.asked(prompt);
  expect(speaker.results).toEqual(["The person denied this: not on a Friday"]);
  speaker.say("Then I leave it.").end();
  await page.getByText("Then I leave it.").waitFor();
  expect(await cards(page).count()).toBe(0);
  expectNoFaults(page);
});

test("of two devices that answer one ask the first counts, and the second is told what was answered", async () => {
  const { session } = await askToRun("Race", "echo once");
  const page = await stage.open(`/sessions/${session}`);
  const phone = await stage.openElsewhere(`/sessions/${session}`);
  await cards(phone).getByRole("textbox").fill("better not");
  // The phone's answer is on its way while the other's is taken.
  const held = Promise.withResolvers<void>();
  await phone.route("**/answer", async (route) => {
    await held.promise;
    await route.continue();
  });
  await cards(phone).getByRole("button", { name: "Deny" }).click();
  await cards(page).getByRole("button", { name: "Once" }).click();
  await stage.server.untilFact(session, "tool_finished");
  held.resolve();
  await phone.getByText("Answered by you on another device: once").waitFor();
  await phone.getByText("Your words were not sent: better not").waitFor();
  const answers = (await stage.server.log(session)).filter(({ type }) => type === "ask_answered");
  expect(answers.map(({ data }) => data)).toMatchObject([{ answer: { choice: "once" } }]);
  await phone.getByRole("button", { name: "Dismiss" }).click();
  expect(await cards(phone).count()).toBe(0);
  expectNoFaults(page);
  expectNoFaults(phone, /409/);
});

test("what was typed stays when the answer could not be sent, and after a reload", async () => {
  const { session } = await askToRun("Keep", "echo kept");
  const page = await stage.open(`/sessions/${session}`);
  await page.route("**/answer", (route) =>
    route.fulfill({
      status: 500,
      contentType: "application/problem+json",
      body: JSON.stringify({ type: "urn:x", title: "No", status: 500, code: "internal", detail: "Not now." }),
    }),
  );
  await cards(page).getByRole("textbox").fill("too many words to lose");
  await cards(page).getByRole("button", { name: "Deny" }).click();
  await page.getByRole("alert").filter({ hasText: "Not now." }).waitFor();
  expect(await cards(page).getByRole("textbox").inputValue()).toBe("too many words to lose");
  await page.reload();
  expect(await cards(page).getByRole("textbox").inputValue()).toBe("too many words to lose");
});

test("keys answer only while the card has the focus", async () => {
  const { session } = await askToRun("Keys", "echo by key");
  const page = await stage.open(`/sessions/${session}`);
  await cards(page).getByRole("textbox").pressSequentially("1yn");
  await page.getByRole("textbox", { name: "Message" }).pressSequentially("1y");
  expect((await stage.server.log(session)).some(({ type }) => type === "ask_answered")).toBe(false);
  await cards(page).focus();
  await page.keyboard.press("y");
  const log = await stage.server.untilFact(session, "ask_answered");
  expect(log.find(({ type }) => type === "ask_answered")?.data).toMatchObject({ answer: { choice: "once" } });
  expectNoFaults(page);
});

test("a key that is held answers the card that it was pressed on, and not the one that gets the focus next", async () => {
  const { session, prompt } = await stage.begin("Held key", "careful");
  const speaker = await stage.model.asked(prompt);
  speaker.call("shell", { command: "echo one" }).call("shell", { command: "echo two" }).end();
  const page = await stage.open(`/sessions/${session}`);
  await expect.poll(() => cards(page).count()).toBe(2);
  await cards(page).first().focus();
  await page.keyboard.down("y");
  await expect.poll(() => cards(page).count()).toBe(1);
  await expect.poll(() => cards(page).evaluate((card) => card === document.activeElement)).toBe(true);
  await page.keyboard.down("y"); // as a keyboard repeats it
  await page.keyboard.up("y");
  await page.keyboard.press("n");
  await stage.model.asked(prompt);
  const answers = (await stage.server.log(session)).filter(({ type }) => type === "ask_answered");
  expect(answers.map(({ data }) => data)).toMatchObject([
    { answer: { choice: "once" } },
    { answer: { choice: "deny" } },
  ]);
  expectNoFaults(page);
});

test("a card that comes or moves under a finger takes no press at first, and then it does", async () => {
  const { session, prompt } = await stage.begin("Under a finger", "careful");
  const page = await stage.open(`/sessions/${session}`);
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      for (const button of document.querySelectorAll("[data-ask] button"))
        if (button.textContent.startsWith("Once") && !button.hasAttribute("data-seen")) {
          button.setAttribute("data-seen", "");
          seen.push(getComputedStyle(button).pointerEvents);
        }
    }).observe(document.body, { childList: true, subtree: true });
  });
  (await stage.model.asked(prompt)).call("shell", { command: "echo one" }).end();
  await cards(page).getByRole("button", { name: "Once" }).click();
  (await stage.model.asked(prompt)).call("shell", { command: "echo two" }).end();
  await cards(page).filter({ hasText: "echo two" }).getByRole("button", { name: "Deny" }).click();
  await stage.model.asked(prompt);
  expect(await page.evaluate("seen")).toEqual(["none", "none"]);
  expectNoFaults(page);
});

test("a question takes one choice, several, or one's own words", async () => {
  const { session, prompt } = await stage.begin("Questions", "careful");
  const page = await stage.open(`/sessions/${session}`);
  (await stage.model.asked(prompt))
    .call("ask", { question: "Which colour?", choices: ["Red", "Blue"] })
    .end();
  await cards(page).getByRole("button", { name: "Blue" }).click();
  let speaker = await stage.model.asked(prompt);
  expect(speaker.results.at(-1)).toBe("Blue");
  speaker.call("ask", { question: "Which fruits?", choices: ["Fig", "Pear", "Plum"], multiple: true }).end();
  await cards(page).getByRole("checkbox", { name: "Fig" }).check();
  await cards(page).getByRole("checkbox", { name: "Plum" }).check();
  await cards(page).filter({ hasText: "Which fruits?" }).getByRole("button", { name: "Answer" }).click();
  speaker = await stage.model.asked(prompt);
  expect(speaker.results.at(-1)).toBe("Fig, Plum");
  speaker.call("ask", { question: "And what else?" }).end();
  // By its question: the card before it may still stand there, and has a field as well.
  await cards(page).filter({ hasText: "And what else?" }).getByRole("textbox").fill("a knife");
  await page.keyboard.press("Enter");
  speaker = await stage.model.asked(prompt);
  expect(speaker.results.at(-1)).toBe("a knife");
  speaker.end();
  expectNoFaults(page);
});

test("an ask has a page of its own, that says later how it was answered and leads to its session", async () => {
  const { session, title } = await askToRun("By its address", "echo here", { why: "I want to look around." });
  const ask = await openAsk(session);
  const page = await stage.open(`/asks/${ask}`);
  await page.getByText("I want to look around.").waitFor();
  await page.getByRole("link", { name: title }).first().waitFor();
  expect(await page.title()).toMatch(/^\(1\) /);
  await cards(page).getByRole("button", { name: "Once" }).click();
  await page.getByText("Answered by you: once").waitFor();
  const later = await stage.openElsewhere(`/asks/${ask}`);
  await later.getByText("Answered by you on another device: once").waitFor();
  await later.getByRole("link", { name: "Open its session" }).click();
  await later.getByRole("heading", { name: title }).waitFor();
  expectNoFaults(page);
});

test("an ask that was withdrawn, or never was, is said to be so", async () => {
  const { session } = await askToRun("Stopped", "echo never");
  const ask = await openAsk(session);
  await stage.call("POST", `/api/sessions/${session}/stop`);
  await stage.server.untilFact(session, "ask_closed");
  const page = await stage.open(`/asks/${ask}`);
  await page.getByText(/^Withdrawn/).waitFor();
  const none = await stage.open("/asks/ask_nothing");
  await none.getByText("There is no such ask").waitFor();
  expectNoFaults(page);
  expectNoFaults(none, /404/);
});

/** A session whose agent wants to run something that a person has to allow. */
async function askToRun(
  title: string,
  command: string,
  { why = "", ...args }: { why?: string; timeoutSeconds?: number } = {},
): Promise<Begun> {
  const begun = await stage.begin(title, "careful");
  const speaker = await stage.model.asked(begun.prompt);
  if (why !== "") speaker.say(why);
  speaker.call("shell", { command, ...args }).end();
  await stage.server.untilFact(begun.session, "ask_opened");
  return begun;
}

async function openAsk(session: string): Promise<string> {
  const { items } = await stage.call<{ items: { id: string }[] }>(
    "GET",
    `/api/asks?open=true&session=${session}`,
  );
  return items[0]?.id ?? "";
}

function cards(page: WatchedPage | Page) {
  return page.locator("[data-ask]");
}
