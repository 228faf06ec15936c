// A command that said more than an event holds, on a real server: the page has all of it, from the process's own file.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Told } from "../agent-server.ts";
import type { Answer } from "../stub-model.ts";
import { useAgentServer } from "./visit.ts";
import { expectNoFaults } from "./watched-page.ts";

const visit = useAgentServer({ says });

const LINES = 40_000;
/** About 230 KB: four pages. */
const SAID = Array.from({ length: LINES }, (_, n) => `${n + 1}\n`).join("");

function says({ results }: Told): Answer {
  return results.length > 0
    ? { reply: "message", text: "It counted." }
    : { reply: "message", calls: [{ name: "shell", args: { command: `seq 1 ${LINES}` } }] };
}

test("what a command said is read page by page to its end, and kept whole", async () => {
  const session = await visit.server.send("Count.");
  await visit.server.untilFact(session, "turn_ended");
  const page = await visit.open(`/sessions/${session}`);
  const tool = page.locator(".tool", { hasText: `seq 1 ${LINES}` });
  await tool.locator("summary").click();
  const output = tool.getByLabel("Output");
  await tool.getByRole("button", { name: "Show all" }).click();
  const more = tool.getByRole("button", { name: "Show more" });
  await more.waitFor();
  for (let pages = 0; pages < 10 && (await more.count()) > 0; pages++) {
    const before = (await output.textContent())?.length ?? 0;
    await more.click();
    await expect.poll(async () => (await output.textContent())?.length).toBeGreaterThan(before);
  }
  expect((await output.textContent()) === SAID).toBe(true); // a difference of 230 KB says nothing
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    tool.getByRole("button", { name: "Download" }).click(),
  ]);
  expect((await readFile(await download.path(), "utf8")) === SAID).toBe(true);
  expectNoFaults(page);
});
