// The transcript in a real browser, on a real server that also plays the executor.
import { beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { calls, reasoning, Script, text, type Call } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, expectNoFaultsButDeaths, newTab, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let session: string;

beforeEach(async () => {
  session = await visit.server.create("At work");
});

const FIRST_INPUT = formatPosition(2, 0);
const test1: Call = { call: "call_1", name: "shell", args: { command: "npm test" } };

test("a turn is shown as it happens: words as they come, thinking folded, tools with their outcome", async () => {
  const page = await open();
  await visit.server.play(
    session,
    new Script("a").admit("Run the tests.").take("inp_a1", FIRST_INPUT).begin(),
  );
  await page.getByText("Run the tests.").waitFor();
  await page.getByText("is thinking").waitFor();

  const step = { step: "step_a3", attempt: 1 };
  await visit.server.append(session, [draft("step_a3.1/0", "reasoning", 0, "Which tests?")]);
  await visit.server.append(session, [draft("step_a3.1/1", "text", 0, "I run ")]);
  await page.getByText("I run", { exact: true }).waitFor();
  await visit.server.append(session, [draft("step_a3.1/1", "text", 6, "them all.")]);
  await page.getByText("I run them all.", { exact: true }).waitFor();
  expect(await page.getByText("Which tests?").isVisible()).toBe(false);

  const message = [reasoning("Which tests?"), text("I run them all."), calls(test1)];
  await visit.server.append(session, [{ type: "step_completed", data: { ...step, message } }]);
  await visit.server.append(session, started(test1, "step_a3"));
  await visit.server.append(session, [draft("call_1/0", "output", 0, "1 ok\n2 ok\n")]);
  await page.locator(".tail", { hasText: "2 ok" }).waitFor(); // what a row says that is not open
  const tool = page.locator("details", { hasText: "npm test" });
  await tool.locator("summary").click();
  await visit.server.append(session, [
    {
      type: "tool_finished",
      data: { call: "call_1", status: "error", result: "1 ok\n2 ok\n3 FAIL", exit: 1 },
    },
  ]);
  await tool.locator(".outcome", { hasText: "exit 1" }).waitFor();
  await tool.getByText("3 FAIL").waitFor(); // it is still open
  await visit.server.append(session, [
    { type: "turn_ended", data: { turn: "turn_a2", outcome: "completed" } },
  ]);
  await page.getByText(/^completed/).waitFor();
  await expectPageEqualsView(page);
  expectNoFaults(page);
});

test("an answer that ended early says why", async () => {
  const page = await open();
  const script = new Script("a").admit("Tell me.").take("inp_a1", FIRST_INPUT).begin();
  const step = { step: "step_a3", attempt: 1 };
  const cut: NewEvent = {
    type: "step_completed",
    data: { ...step, message: [text("It is a")], finish: "length" },
  };
  await visit.server.play(session, script.add(cut).end());
  await page.getByText("The model stopped at its length limit.", { exact: true }).waitFor();
  const filtered = new Script("b").admit("And?").take("inp_b1", formatPosition(8, 0)).begin();
  const silent: NewEvent = {
    type: "step_completed",
    data: { step: "step_b3", attempt: 1, message: [], finish: "filter" },
  };
  await visit.server.play(session, filtered.add(silent).end());
  await page.getByText("The provider's filter ended this answer.", { exact: true }).waitFor();
  await expectPageEqualsView(page);
  expectNoFaults(page);
});

test("what a delegate in the background brings back is shown as its result, with a way to it", async () => {
  const child = await visit.server.create("Count the files");
  const page = await open();
  const result: NewEvent = {
    type: "input_admitted",
    data: {
      input: "inp_r",
      kind: "steer",
      text: "There are **four** files.",
      delegate: { session: child, outcome: "completed" },
    },
  };
  const from = await visit.server.append(session, [result]);
  await visit.server.play(session, new Script("a").take("inp_r", from).begin());
  const row = page.locator("#inp_r");
  await row.getByText("Result of Count the files").waitFor();
  expect(await row.locator("strong").textContent()).toBe("four");
  expect(await row.textContent()).not.toContain("steered");
  const [log, box] = [await page.locator(".log .column").first().boundingBox(), await row.boundingBox()];
  expect(box?.x).toBe(log?.x); // on the agent's side
  await row.getByRole("link", { name: "Count the files" }).click();
  await page.getByRole("heading", { name: "Count the files" }).waitFor();
  expectNoFaults(page);
});

test("while the server is away the head says so, and what was known last, without counting on", async () => {
  await visit.server.play(session, new Script("a").admit("go").take("inp_a1", FIRST_INPUT).begin());
  const page = await open();
  const status = page.locator(".head .about .pill");
  await expect.poll(() => status.textContent()).toMatch(/^running\s*\d+ s/);
  await visit.server.kill();
  await expect.poll(() => status.textContent()).toMatch(/^connection lost · at \d\d:\d\d: running$/);
  await visit.server.start();
  await visit.server.listen();
  await expect.poll(() => status.textContent()).toMatch(/^running/);
  expectNoFaultsButDeaths(page);
});

test("while the server is away nothing turns or is written as if it were heard", async () => {
  const work = new Script("a").admit("go").take("inp_a1", FIRST_INPUT).begin().draft("text", 0, "So far");
  await visit.server.play(session, work);
  const page = await open();
  const row = page.locator(`[data-session="${session}"] .row`);
  const caret = page.locator(".log .caret");
  const motion = () => row.locator(".mark").evaluate((mark) => getComputedStyle(mark).animationName);
  await expect.poll(() => row.locator(".words").textContent()).toBe("writing");
  await expect.poll(() => caret.count()).toBe(1);
  expect(await motion()).toBe("turn");
  await visit.server.kill();
  await expect.poll(() => row.locator(".words").textContent()).toMatch(/^at \d\d:\d\d: writing$/);
  await expect.poll(() => caret.count()).toBe(0);
  expect(await motion()).toBe("none");
  await page.getByText("So far", { exact: true }).waitFor();
  await visit.server.start();
  await visit.server.listen();
  await expect.poll(() => row.locator(".words").textContent()).toBe("writing");
  await expect.poll(() => caret.count()).toBe(1);
  expect(await motion()).toBe("turn");
  expectNoFaultsButDeaths(page);
});

test("what was appended while the server was killed is shown once, in its place, and what was drafted stays", async () => {
  const page = await open();
  await visit.server.play(
    session,
    new Script("a")
      .admit("Go on.")
      .take("inp_a1", FIRST_INPUT)
      .begin()
      .draft("text", 0, "In the middle of a "),
  );
  await page.getByText("In the middle of a", { exact: true }).waitFor();
  await visit.server.kill();
  await page
    .getByText(/^reconnecting/)
    .first()
    .waitFor();
  expect(await page.getByText("In the middle of a", { exact: true }).isVisible()).toBe(true);

  await visit.server.start();
  const aborted = { step: "step_a3", attempt: 1, reason: "the server was killed" };
  const again = { turn: "turn_a2", step: "step_a3", attempt: 2, model: "claude-sonnet" };
  const whole = { step: "step_a3", attempt: 2, message: [text("In the middle of a sentence, twice.")] };
  await visit.server.append(session, [
    { type: "step_aborted", data: aborted },
    { type: "executor_recovered", data: { epoch: 2, takeover: 1 } },
    { type: "step_started", data: again },
    { type: "step_completed", data: whole },
    { type: "turn_ended", data: { turn: "turn_a2", outcome: "completed" } },
  ]);
  await visit.server.listen();

  await page.getByText("In the middle of a sentence, twice.").waitFor();
  await page.getByText("interrupted: the server was killed").waitFor();
  await page.getByText("picked up again").waitFor();
  await expectPageEqualsView(page);
  expectNoFaultsButDeaths(page);
});

test("words are struck out once they are said anew, and not because a person stopped them", async () => {
  const page = await open();
  const begun = new Script("a").admit("Tell me.").take("inp_a1", FIRST_INPUT).begin();
  await visit.server.play(session, begun.draft("text", 0, "As far as it came"));
  const words = page.getByText("As far as it came", { exact: true });
  const struck = () => words.evaluate((said) => getComputedStyle(said.closest(".text")!).textDecorationLine);
  await words.waitFor();
  await visit.server.append(session, [
    { type: "stop_requested", data: { turn: "turn_a2" } },
    { type: "step_aborted", data: { step: "step_a3", attempt: 1, reason: "stopped" } },
    { type: "turn_ended", data: { turn: "turn_a2", outcome: "stopped" } },
  ]);
  await page
    .locator(".turn_end")
    .getByText(/^stopped/)
    .waitFor();
  expect(await struck()).toBe("none");
  expect(
    await page
      .locator("main .message")
      .getByText(/^stopped/)
      .count(),
  ).toBe(1);
  await visit.server.append(session, [
    { type: "step_started", data: { turn: "turn_a2", step: "step_a3", attempt: 2, model: "claude-sonnet" } },
  ]);
  await expect.poll(struck).toBe("line-through");
  expectNoFaults(page);
});

test("a reload in mid-sentence shows every word, and two tabs agree", async () => {
  await visit.server.play(
    session,
    new Script("a")
      .admit("Tell me.")
      .take("inp_a1", FIRST_INPUT)
      .begin()
      .draft("text", 0, "Once upon", " a time"),
  );
  const first = await open();
  await first.getByText("Once upon a time").waitFor();
  await first.reload();
  await first.getByText("Once upon a time").waitFor();
  const second = await newTab(visit.person, `${visit.server.url}/sessions/${session}`);
  await visit.server.append(session, [draft("step_a3.1/0", "text", 16, " there was")]);
  for (const page of [first, second]) {
    await expect
      .poll(() => page.locator("li.step .text").allTextContents())
      .toEqual(["Once upon a time there was"]);
    await expectPageEqualsView(page);
    expectNoFaults(page);
  }
});

test("a long session is paged back to its beginning, each message once and in order", async () => {
  const count = 170;
  for (let n = 0; n < count; n += 10)
    await visit.server.append(
      session,
      Array.from({ length: 10 }, (_, i) => notice(`notice ${n + i}`)),
    );
  const page = await open();
  await page.getByText(`notice ${count - 1}`, { exact: true }).waitFor();
  const log = page.getByRole("region", { name: "Transcript" });
  let isInOrder = true;
  await log.hover();
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -600);
      const numbers = await noticesOn(page);
      isInOrder &&= numbers.every((n, i) => n === (numbers[0] ?? 0) + i);
      return numbers[0];
    })
    .toBe(0);
  expect(isInOrder).toBe(true);
  await visit.server.append(session, [notice("one more")]);
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByText("one more").waitFor();
  expect((await noticesOn(page)).at(-1)).toBe(count - 1);
  expectNoFaults(page);
});

test("a search hit far back in the log is reached and shown", async () => {
  await visit.server.append(
    session,
    [{ type: "input_admitted", data: { input: "inp_x", kind: "prompt", text: "the kingfisher" } }],
    "owner",
  );
  await visit.server.append(session, [
    { type: "turn_started", data: { turn: "turn_x", inputs: ["inp_x"] } },
    { type: "input_delivered", data: { input: "inp_x", turn: "turn_x", from: FIRST_INPUT } },
    { type: "turn_ended", data: { turn: "turn_x", outcome: "completed" } },
  ]);
  await visit.server.append(
    session,
    Array.from({ length: 120 }, (_, n) => notice(`notice ${n}`)),
  );
  const page = await visit.open("/search");
  await page.getByRole("searchbox").fill("kingfisher");
  await page.getByRole("link", { name: /the kingfisher/ }).click();
  await page.locator("li.message.shown").getByText("the kingfisher").waitFor();
  await expect.poll(() => page.locator("li.message.shown").isVisible()).toBe(true);
  expectNoFaults(page);
});

test("the page follows the end only while the end is in view, and only then has it been seen", async () => {
  for (let n = 0; n < 5; n++)
    await visit.server.append(
      session,
      Array.from({ length: 9 }, (_, i) => notice(`line ${n}.${i}\n\n`)),
    );
  const page = await visit.open("/");
  await page.clock.install(); // so that what waits for its time in the page can be made to happen
  await page.goto(`${visit.server.url}/sessions/${session}`);
  const seen: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/seen")) seen.push((request.postDataJSON() as { position: string }).position);
  });
  const log = page.getByRole("region", { name: "Transcript" });
  const below = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  await page.getByText("line 4.8").waitFor();
  await expect.poll(below).toBeLessThan(2);
  const first = new Script("a").admit("Yes?").take("inp_a1", formatPosition(47, 0)).begin();
  const read = await visit.server.play(session, first.complete([text("Read.")]).end());
  await expect.poll(() => seen.includes(read)).toBe(true);
  await expect.poll(unread).toBe(0);
  await expect.poll(below).toBeLessThan(2);

  await log.hover();
  await page.mouse.wheel(0, -2000);
  await page.getByRole("button", { name: "Latest" }).waitFor();
  const second = new Script("b").admit("And?").take("inp_b1", formatPosition(53, 0)).begin();
  const unreadAt = await visit.server.play(session, second.complete([text("Not read.")]).end());
  await expect.poll(unread).toBe(1);
  await page.clock.fastForward(2000);
  expect(await log.evaluate((box) => box.scrollTop)).toBe(0);
  expect(seen).not.toContain(unreadAt);
  expect(await unread()).toBe(1);

  await page.getByRole("button", { name: "Latest" }).click();
  await expect.poll(() => seen.includes(unreadAt)).toBe(true);
  await expect.poll(unread).toBe(0);
  expectNoFaults(page);
});

test("what needs a person stands in the list, in the session and in the tab's name", async () => {
  const page = await visit.open("/");
  await visit.server.play(
    session,
    new Script("a")
      .admit("Clean up.")
      .take("inp_a1", FIRST_INPUT)
      .begin()
      .complete([calls({ call: "call_1", name: "shell", args: { command: "rm -r build" } })])
      .add({
        type: "ask_opened",
        data: {
          ask: "ask_1",
          kind: "approval",
          title: "It deletes files.",
          command: "rm -r build",
          cwd: "/srv",
        },
      }),
  );
  const row = page.locator(`[data-session="${session}"]`);
  await row.locator(".mark.approval").waitFor();
  await row.getByRole("link", { name: /At work/ }).click();
  await page.getByText("Waits for your approval").waitFor();
  await page.locator("[data-ask]").getByText("rm -r build").waitFor();
  await expect.poll(() => page.title()).toBe("(1) At work · Holdfast");
  await visit.server.append(session, [
    { type: "ask_answered", data: { ask: "ask_1", kind: "approval", answer: { choice: "deny" } } },
  ]);
  await expect.poll(() => page.title()).toBe("At work · Holdfast");
  expect(await page.getByText("Waits for your approval").count()).toBe(0);
  expectNoFaults(page);
});

test("nothing that a session holds becomes markup or reaches elsewhere", async () => {
  const hostile = `<img src="http://evil.example/x.png" onerror="alert(1)"><script>alert(2)</script> **bold** [x](javascript:alert(3))`;
  await visit.server.append(session, [{ type: "session_titled", data: { title: hostile } }, notice(hostile)]);
  await visit.server.play(
    session,
    new Script("a")
      .admit(hostile)
      .take("inp_a1", formatPosition(4, 0))
      .begin()
      .complete([text(hostile)])
      .end(),
  );
  const page = await open(/<img/);
  expect(await page.getByText(hostile, { exact: true }).count()).toBeGreaterThanOrEqual(2);
  expect(await page.locator("main img, main script").count()).toBe(0);
  expectNoFaults(page);
});

async function open(title: string | RegExp = "At work"): Promise<WatchedPage> {
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("heading", { name: title }).waitFor();
  return page;
}

async function unread(): Promise<number> {
  const answer = await visit.server.fetch(`/api/sessions/${session}`);
  return ((await answer.json()) as { unread: number }).unread;
}

/** The same messages, and in each the same parts, as the server's own projection. */
async function expectPageEqualsView(page: WatchedPage): Promise<void> {
  const { view } = (await (await visit.server.fetch(`/api/sessions/${session}`)).json()) as { view: View };
  const wanted = view.messages.map((message) => ({
    id: message.id,
    texts:
      message.kind === "step" ? message.parts.flatMap((part) => ("text" in part ? [part.text] : [])) : [],
    tools: message.kind === "step" ? message.parts.filter(({ kind }) => kind === "tool").length : 0,
  }));
  const shown = () =>
    page.locator("li.message").evaluateAll((rows) =>
      rows.map((row) => ({
        id: row.id,
        texts: row.classList.contains("step")
          ? Array.from(row.querySelectorAll(".text"), (each) => each.textContent)
          : [],
        tools: row.querySelectorAll(".tool").length,
      })),
    );
  await expect.poll(shown).toEqual(wanted);
}

async function noticesOn(page: WatchedPage): Promise<number[]> {
  const texts = await page.locator("li.message").allTextContents();
  return texts.flatMap((text) => /^notice (\d+)$/.exec(text)?.[1] ?? []).map(Number);
}

function notice(text: string): NewEvent {
  return { type: "notice", data: { level: "info", text } };
}

function draft(part: string, kind: "text" | "reasoning" | "output", offset: number, text: string): NewEvent {
  return { type: "draft", data: { part, kind, offset, text } };
}

function started({ call, name, args }: Call, step: string): NewEvent[] {
  return [
    { type: "tool_proposed", data: { step, call, name, args, effect: "unsafe" } },
    { type: "tool_started", data: { call } },
  ];
}
