// What an agent does, in a real browser: calls as rows that open, with all of what they brought.
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import type { View } from "../../src/session/view.ts";
import { calls, Script, text, type Call } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let session: string;

beforeEach(async () => {
  session = await visit.server.create("Tools");
});

const shell: Call = { call: "call_1", name: "shell", args: { command: "make all" } };

test("an edit is a diff with its count in the row, and a long one is whole when it is opened", async () => {
  const lines = (name: string) => Array.from({ length: 600 }, (_, n) => `${name} ${n}`).join("\n");
  const short: Call = { call: "call_1", name: "edit", args: { path: "a.ts", old: "a\nb", new: "a\nB\nc" } };
  const long: Call = { call: "call_2", name: "write", args: { path: "b.ts", text: lines("line") } };
  await visit.server.play(
    session,
    begun()
      .complete([calls(short), calls(long)])
      .start(short)
      .finish(short, "Edited a.ts.")
      .start(long)
      .finish(long, "Wrote it.")
      .end(),
  );
  const page = await open();
  const [edit, write] = [row(page, "Edit"), row(page, "Write")];
  expect(await edit.locator(".count").textContent()).toBe(" +2 −1");
  await edit.locator("summary").click();
  expect(await edit.locator(".diff").textContent()).toBe("  a\n− b\n+ B\n+ c\n");
  expect(lines("line").length).toBeGreaterThan(4096); // or the view has it whole
  await write.locator("summary").click();
  await write.locator(".diff", { hasText: "+ line 599" }).waitFor();
  expectNoFaults(page);
});

test("a result that is too long for the view is shown whole, page by page, and can be kept", async () => {
  const result = Array.from({ length: 6000 }, (_, n) => `line ${n}`).join("\n");
  await visit.server.play(
    session,
    begun()
      .complete([calls(shell)])
      .start(shell)
      .finish(shell, result, { exit: 0 })
      .end(),
  );
  const page = await open();
  const tool = row(page, "Shell");
  await tool.locator("summary").click();
  const output = tool.getByLabel("Output");
  expect((await output.textContent())?.length).toBe(4096);
  await tool.getByRole("button", { name: "Show all" }).click();
  await expect.poll(async () => (await output.textContent()) === result).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    tool.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toBe(result);
  expectNoFaults(page);
});

test("what was opened stays open while it changes, and when it was scrolled far out of view", async () => {
  const page = await open();
  await visit.server.play(
    session,
    begun()
      .complete([calls(shell)])
      .start(shell)
      .output("call_1", "first\n"),
  );
  const tool = row(page, "Shell");
  await tool.locator("summary").click();
  await tool.getByLabel("Output").getByText("first").waitFor();
  await visit.server.append(session, [
    { type: "tool_finished", data: { call: "call_1", status: "ok", result: "all done", exit: 0 } },
  ]);
  await tool.getByLabel("Output").getByText("all done").waitFor();
  await visit.server.append(
    session,
    Array.from({ length: 120 }, (_, n) => ({
      type: "notice" as const,
      data: { level: "info" as const, text: `notice ${n}` },
    })),
  );
  const log = page.getByRole("region", { name: "Transcript" });
  await expect.poll(() => row(page, "Shell").count()).toBe(0);
  await expect
    .poll(async () => {
      await log.evaluate((box) => (box.scrollTop = 0));
      return tool.getByLabel("Output").count();
    })
    .toBe(1);
  expect(await tool.getByLabel("Output").textContent()).toBe("all done");
  expectNoFaults(page);
});

test("a row says what a person said, what nobody knows, and what a restart did not end", async () => {
  const [denied, unknown, survivor]: Call[] = [
    { call: "call_1", name: "shell", args: { command: "rm -r build" } },
    { call: "call_2", name: "shell", args: { command: "deploy" } },
    { call: "call_3", name: "shell", args: { command: "backfill" } },
  ] as Call[];
  await visit.server.play(
    session,
    begun()
      .complete([calls(denied!), calls(unknown!), calls(survivor!)])
      .add({
        type: "ask_opened",
        data: { ask: "ask_1", kind: "approval", title: "rm", call: "call_1", command: "rm -r build" },
      })
      .add({
        type: "ask_answered",
        data: { ask: "ask_1", kind: "approval", answer: { choice: "deny", text: "not yet" } },
      })
      .finish(denied!, "denied", { status: "denied" })
      .start(unknown!)
      .finish(unknown!, "verify", { status: "unknown" })
      .add({ type: "tool_started", data: { call: "call_3", process: "prc_1" } })
      .add({ type: "executor_recovered", data: { epoch: 2, takeover: 1 } })
      .finish(survivor!, "done", { exit: 0 })
      .end(),
  );
  const page = await open();
  const outcomes = page.locator(".tool .outcome");
  await expect
    .poll(() => outcomes.allTextContents())
    .toEqual(["denied: “not yet”", "outcome unknown", "exit 0 · survived a restart"]);
  expectNoFaults(page);
});

test("the row of a delegate leads to its session, also when it has returned", async () => {
  const child = await visit.server.create("The delegate");
  const delegate: Call = { call: "call_1", name: "delegate", args: { prompt: "Find it." } };
  await visit.server.play(
    session,
    begun()
      .complete([calls(delegate)])
      .start(delegate)
      .add({ type: "delegated", data: { session: child, call: "call_1", background: false } })
      .add({
        type: "delegate_returned",
        data: { session: child, call: "call_1", outcome: "completed", summary: "Found." },
      })
      .finish(delegate, "Found.")
      .end(),
  );
  const page = await open();
  await page.getByRole("link", { name: "Open its session" }).click();
  await page.getByRole("heading", { name: "The delegate" }).waitFor();
  expectNoFaults(page);
});

test("a turn that failed says why, and trying it again goes on where it ended", async () => {
  const script = begun()
    .complete([text("I begin.")])
    .end("failed", { code: "overloaded", message: "The provider is overloaded." });
  await visit.server.play(session, script);
  const page = await open();
  await page.getByText("The provider is overloaded.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Try this turn again" }).click();
  await page.getByText("tried again", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Try this turn again" }).waitFor({ state: "detached" });
  await page.getByText("I begin.", { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/sessions/${session}`);
  const { view } = await visit.call<{ view: View }>("GET", `/api/sessions/${session}`);
  expect(view.turn).toMatchObject({ inputs: [] });
  expectNoFaults(page);
});

function begun(): Script {
  return new Script("a").admit("Go.").take("inp_a1", formatPosition(2, 0)).begin();
}

function row(page: WatchedPage, name: string): Locator {
  return page.locator(".tool", { has: page.locator("summary b", { hasText: name }) });
}

async function open(): Promise<WatchedPage> {
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("heading", { name: "Tools" }).waitFor();
  return page;
}
