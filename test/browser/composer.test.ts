// The composer on a real server whose agent really works: nothing that is typed is lost or done twice.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { View } from "../../src/session/view.ts";
import type { Told } from "../agent-server.ts";
import type { Answer } from "../stub-model.ts";
import { useAgentServer } from "./visit.ts";
import { expectNoFaults, newTab, type WatchedPage } from "./watched-page.ts";

const visit = useAgentServer({ says });
beforeEach(() => rm(join(visit.server.workspace, "go"), { force: true }));

/** `work` goes on until there is a file `go`; `ask` asks; all else is repeated. */
function says({ prompts, results }: Told): Answer {
  const last = prompts.at(-1) ?? "";
  if (last === "work" && results.length === 0)
    return message({ calls: [{ name: "shell", args: { command: "until [ -e go ]; do sleep 0.05; done" } }] });
  if (last === "ask" && results.length === 0)
    return message({ calls: [{ name: "ask", args: { question: "Which colour?" } }] });
  return message({
    text: `Heard: ${[...prompts, ...results.map((result) => `(${result.trim()})`)].join("; ")}`,
  });
}

function message(said: object): Answer {
  return { reply: "message", ...said };
}

test("while a turn runs Enter queues and Ctrl+Enter steers, as the placeholder says, and the choice is remembered", async () => {
  const { page, session } = await working();
  expect(await composer(page).getAttribute("placeholder")).toBe(
    "Enter queues it after this turn. Ctrl+Enter steers",
  );
  await say(page, "later");
  await composer(page).fill("to the left");
  await composer(page).press("Control+Enter");
  const steer = waiting(page).getByRole("listitem").filter({ hasText: "to the left" });
  await steer.getByText("steers at the next step").waitFor();

  await page.getByRole("radio", { name: "Steer" }).check({ force: true });
  await page.reload();
  await expect
    .poll(() => composer(page).getAttribute("placeholder"))
    .toBe("Enter steers the turn that runs. Ctrl+Enter queues it");
  await visit.server.touch("go");
  await page.getByText("Heard: work; to the left", { exact: true }).waitFor();
  await page.getByText("Heard: work; to the left; later", { exact: true }).waitFor();
  expect(inputsOf(await viewOf(session))).toEqual([
    ["prompt", "work"],
    ["steer", "to the left"],
    ["prompt", "later"],
  ]);
  expectNoFaults(page);
});

test("an empty composer stops the turn, Escape twice does too; what was queued is held until it is let go on", async () => {
  const { page, session } = await working();
  await say(page, "afterwards");
  await composer(page).press("Escape");
  await page.getByText("Escape again stops the turn").waitFor();
  expect((await viewOf(session)).turn?.stopRequested).toBe(false);
  await composer(page).press("Escape");
  await page.getByText("One input is held since a turn was stopped or failed.").waitFor();
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText(/^Heard: .*afterwards/).waitFor();

  await say(page, "work");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect.poll(async () => (await viewOf(session)).turn).toBe(null);
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  expectNoFaults(page);
});

test("Escape that is held is pressed once, and stops nothing", async () => {
  const { page, session } = await working();
  await composer(page).focus();
  await page.keyboard.down("Escape");
  await page.getByText("Escape again stops the turn").waitFor();
  await page.keyboard.down("Escape"); // as a keyboard repeats it
  expect(await page.getByText("Escape again stops the turn").isVisible()).toBe(true);
  await page.keyboard.up("Escape");
  expect((await viewOf(session)).turn?.stopRequested).toBe(false);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await viewOf(session)).turn).toBe(null);
  expectNoFaults(page);
});

test("the demo is said to be a choice where there is a model", async () => {
  const page = await visit.open("/new");
  await page.getByLabel("Profile").selectOption("demo");
  await page.getByText("With this choice a script answers, and no model.").waitFor();
  expect(await page.getByText("No model is configured").count()).toBe(0);
  expectNoFaults(page);
});

test("stop-and-send ends the turn and goes first", async () => {
  const { page, session } = await working();
  await say(page, "second");
  await composer(page).fill("first");
  await page.getByRole("button", { name: "Other ways to send" }).click();
  await page.getByRole("menuitem", { name: /Stop the turn and send it now/ }).click();
  await page.getByText(/^Heard: .*first; second$/).waitFor();
  expect(inputsOf(await viewOf(session)).map(([, text]) => text)).toEqual(["work", "first", "second"]);
  expectNoFaults(page);
});

test("while a question is open Enter answers it", async () => {
  const page = await begin("ask");
  await expect.poll(() => composer(page).getAttribute("placeholder")).toBe("Enter answers the question");
  await say(page, "green");
  await page.getByText(/^Heard: ask; \(.*green/).waitFor();
  expectNoFaults(page);
});

test("Enter that ends an input method's composition sends nothing", async () => {
  const page = await begin("hello");
  await composer(page).fill("にほ");
  for (const how of [{ isComposing: true }, { keyCode: 229 }])
    await composer(page).evaluate((field, more) => {
      field.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }),
      );
    }, how);
  expect(await composer(page).inputValue()).toBe("にほ");
  await composer(page).press("Enter");
  await page.getByText("Heard: hello; にほ").waitFor();
  expectNoFaults(page);
});

test("a page that is reloaded in mid-send goes on sending, and it arrives once", async () => {
  const page = await begin("hello");
  const session = sessionIn(page);
  await page.getByText("Heard: hello").waitFor();
  // It reaches the server, and the answer is lost: the worst moment to go away.
  const reached = Promise.withResolvers<void>();
  await page.route("**/inputs", async (route) => {
    await route.fetch();
    reached.resolve();
  });
  await composer(page).fill("only once");
  await composer(page).press("Enter");
  await reached.promise;
  await page.unrouteAll();
  await page.reload();
  await page.getByText("Heard: hello; only once").waitFor();
  await expect.poll(() => waiting(page).count()).toBe(0);
  expect(await composer(page).inputValue()).toBe("");
  expect(inputsOf(await viewOf(session)).map(([, text]) => text)).toEqual(["hello", "only once"]);
});

test("a send that fails says why and is retried with one press; nothing typed is lost", async () => {
  const page = await begin("hello");
  await page.getByText("Heard: hello").waitFor();
  const problem = { type: "urn:x", title: "No", status: 409, code: "conflict", detail: "Not today." };
  await page.route("**/inputs", (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await composer(page).fill("please");
  await composer(page).press("Enter");
  await page.getByRole("alert").filter({ hasText: "Not today." }).waitFor();
  expect(await composer(page).inputValue()).toBe("please");
  await page.unrouteAll();
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Heard: hello; please").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("two tabs show the same unsent text, and the later hand wins", async () => {
  const first = await begin("hello");
  const second = await newTab(visit.person, first.url());
  await composer(second).waitFor();
  await composer(first).fill("from the first");
  await expect.poll(() => composer(second).inputValue()).toBe("from the first");
  await second.getByText("As typed in another tab.").waitFor();
  await composer(second).fill("from the second");
  await expect.poll(() => composer(first).inputValue()).toBe("from the second");
  await composer(second).press("Enter");
  await expect.poll(() => composer(first).inputValue()).toBe("");
  for (const page of [first, second]) expectNoFaults(page);
});

test("files by button, paste and drop go with the message; one too large says so and nothing typed is lost", async () => {
  const page = await begin("hello");
  await page.getByText("Heard: hello").waitFor();
  await composer(page).fill("read these");
  const picker = page.locator("input[type=file]");
  await picker.setInputFiles([file("button.txt", 5), file("huge.bin", 25 * 1024 * 1024 + 1)]);
  await attached(page).filter({ hasText: "too large: 25 MB" }).waitFor();
  for (const event of ["paste", "drop"] as const)
    await composer(page).evaluate((field, type) => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], `${type}.txt`, { type: "text/plain" }));
      const init = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        type === "paste"
          ? new ClipboardEvent(type, { ...init, clipboardData: data })
          : new DragEvent(type, { ...init, dataTransfer: data }),
      );
    }, event);
  await attached(page).filter({ hasText: "drop.txt" }).filter({ hasText: "1 B" }).waitFor();
  await page.reload();
  await expect.poll(() => attached(page).count()).toBe(4);
  expect(await composer(page).inputValue()).toBe("read these");
  await page.getByRole("button", { name: "Remove huge.bin" }).click();
  await composer(page).press("Enter");
  const sent = async () => {
    const { messages } = await viewOf(sessionIn(page));
    const last = messages.findLast((each) => each.kind === "input");
    return last?.kind === "input" ? [last.text, last.attachments.map(({ name }) => name)] : [];
  };
  await expect.poll(sent).toEqual(["read these", ["button.txt", "paste.txt", "drop.txt"]]);
  expect(await attached(page).count()).toBe(0);
});

test("a file that the server refuses says why, and can be tried again", async () => {
  const page = await begin("hello");
  const problem = {
    type: "urn:x",
    title: "Too large",
    status: 413,
    code: "too_large",
    detail: "It has too much.",
  };
  await page.route("**/api/files*", (route) =>
    route.fulfill({ status: 413, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await page.locator("input[type=file]").setInputFiles([file("a.txt", 5)]);
  await attached(page).filter({ hasText: "not uploaded: It has too much." }).waitFor();
  await page.unrouteAll();
  await attached(page).getByRole("button", { name: "Retry" }).click();
  await attached(page).filter({ hasText: "5 B" }).waitFor();
  expect(await attached(page).count()).toBe(1);
});

test("slash commands are completed and carried out; an unknown one stays, and // sends a slash", async () => {
  const page = await begin("hello");
  await page.getByText("Heard: hello").waitFor();
  await composer(page).pressSequentially("/ti");
  await page.getByRole("option", { name: /\/title/ }).waitFor();
  expect(await composer(page).getAttribute("aria-activedescendant")).toBe("slash-title");
  await composer(page).press("Enter");
  expect(await composer(page).inputValue()).toBe("/title ");
  await composer(page).pressSequentially("Herons");
  await composer(page).press("Enter");
  await page.getByRole("heading", { name: "Herons" }).waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("");

  await composer(page).fill("/compact");
  await composer(page).press("Enter");
  await page.getByRole("alert").filter({ hasText: "There is no /compact." }).waitFor();
  expect(await composer(page).inputValue()).toBe("/compact");
  await composer(page).fill("/title ");
  await composer(page).press("Enter");
  await page.getByRole("alert").filter({ hasText: "Say /title <title>." }).waitFor();

  await composer(page).fill("//compact");
  await composer(page).press("Enter");
  await page.getByText("Heard: hello; /compact").waitFor();
  await composer(page).fill("/usage");
  await composer(page).press("Enter");
  await page.getByText(/^This session: .* tokens/).waitFor();
  await page.getByText("all sessions").waitFor();
  expect(inputsOf(await viewOf(sessionIn(page))).map(([, text]) => text)).toEqual(["hello", "/compact"]);
  expectNoFaults(page);
});

test("an input is edited and sent again, answered anew or undone in a successor, and Back returns", async () => {
  const page = await begin("helo");
  await said(page, "Heard: helo").waitFor();
  const old = page.url();
  await act(page, /Edit and send again/);
  await page.getByRole("textbox", { name: "Say it otherwise" }).press("Escape");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("What to do with this input");
  await act(page, /Edit and send again/);
  await page.getByRole("textbox", { name: "Say it otherwise" }).fill("hello");
  await page.getByRole("button", { name: "Send again" }).click();
  await said(page, "Heard: hello").waitFor();
  expect(page.url()).not.toBe(old);
  await page.goBack();
  await page.getByText("This session has ended (edited).").waitFor();
  await page.goForward();
  await said(page, "Heard: hello").waitFor();

  const before = page.url();
  await act(page, /Have the answer anew/);
  await page.waitForURL((url) => url.href !== before);
  await said(page, "Heard: hello").waitFor();
  const again = page.url();
  await act(page, /Go back to before it/);
  await page.waitForURL((url) => url.href !== again);
  await page.getByRole("heading").first().waitFor();
  await expect.poll(async () => inputsOf(await viewOf(sessionIn(page)))).toEqual([]);
  expectNoFaults(page);
});

test("what is typed into a session that ends meanwhile is taken along to its successor", async () => {
  const page = await begin("hello");
  await page.getByText("Heard: hello").waitFor();
  await composer(page).fill("not sent yet");
  await visit.call("POST", `/api/sessions/${sessionIn(page)}/undo`);
  await page.getByText("Not sent here: not sent yet").waitFor();
  await page.getByRole("button", { name: "Take it along" }).click();
  await expect.poll(() => composer(page).inputValue()).toBe("not sent yet");
  expectNoFaults(page);
});

test("a session begins with the profile, model and workspace that were chosen", async () => {
  const page = await begin("hello");
  await page.goto(`${visit.server.url}/new`);
  await page.getByLabel("Workspace").fill(visit.server.workspace);
  await chooseModel(page, "stub/two");
  await page.reload(); // kept, like the text
  await page.getByRole("button", { name: "Model: stub/two" }).waitFor();
  await say(page, "good day");
  await page.getByText("Heard: good day").waitFor();
  const { meta, messages } = await viewOf(sessionIn(page));
  expect(meta).toMatchObject({ model: "stub/two", workspace: visit.server.workspace, profile: "default" });
  expect(messages.map((each) => (each.kind === "step" ? each.model : ""))).toContain("stub/two");
  expectNoFaults(page);
});

test("a session's model is changed in the composer, and one that there is not is refused with the reason", async () => {
  const page = await begin("hello");
  await page.getByText("Heard: hello").waitFor();
  await chooseModel(page, "nowhere/x");
  await page.getByRole("alert").filter({ hasText: "nowhere" }).waitFor();
  await page.keyboard.press("Escape");
  await chooseModel(page, "stub/two");
  await page.getByRole("button", { name: "Model: stub/two" }).waitFor();
  await say(page, "again");
  await page.getByText("Heard: hello; again").waitFor();
  const { messages } = await viewOf(sessionIn(page));
  expect(messages.flatMap((each) => (each.kind === "step" ? [each.model] : []))).toEqual([
    "stub/one",
    "stub/two",
  ]);
});

async function chooseModel(page: WatchedPage, model: string): Promise<void> {
  await page.getByRole("button", { name: /^Model: / }).click();
  const other = page.getByRole("textbox", { name: "Another model" });
  await other.fill(model);
  await other.press("Enter");
}

async function working(): Promise<{ page: WatchedPage; session: string }> {
  const page = await begin("work");
  const session = sessionIn(page);
  await visit.server.untilFact(session, "tool_started");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  return { page, session };
}

async function begin(text: string): Promise<WatchedPage> {
  const page = await visit.open("/new");
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.waitForURL(/\/sessions\//);
  return page;
}

/** Sent and heard of: it waits, or its turn has it. */
async function say(page: WatchedPage, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page.locator(".text", { hasText: text }).first().waitFor();
}

async function act(page: WatchedPage, name: RegExp): Promise<void> {
  await page.locator("li.input").last().hover();
  await page.getByRole("button", { name: "What to do with this input" }).last().click();
  await page.getByRole("menuitem", { name }).click();
}

/** In the transcript: whoever left while it was said is told so beside it as well. */
function said(page: WatchedPage, text: string) {
  return page.getByRole("region", { name: "Transcript" }).getByText(text, { exact: true });
}

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}

function waiting(page: WatchedPage) {
  return page.getByRole("list", { name: "Waiting inputs" });
}

function attached(page: WatchedPage) {
  return page.getByRole("list", { name: "Attached files" }).getByRole("listitem");
}

function sessionIn(page: WatchedPage): string {
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

async function viewOf(session: string): Promise<View> {
  return (await visit.call<{ view: View }>("GET", `/api/sessions/${session}`)).view;
}

function inputsOf({ messages }: View): [kind: string, text: unknown][] {
  return messages.flatMap((each) => (each.kind === "input" ? [[each.input, each.text]] : []));
}

function file(name: string, bytes: number) {
  return { name, mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") };
}
