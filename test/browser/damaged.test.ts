// A log that the disk has damaged, as whoever opens its session sees it.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { useServer } from "./visit.ts";
import { expectNoFaults } from "./watched-page.ts";

const visit = useServer({ agents: false });

test("a session with a damaged log says so in the list and in the pane, with what to do, and shows itself once it is well", async () => {
  const session = await visit.create("Scratched");
  await visit.call("POST", `/api/sessions/${session}/inputs`, { kind: "prompt", text: "the second fact" });
  replaceInStore("the second fact", "the sekond fact");
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("alert").getByText("The log of this session is damaged").waitFor();
  await page.getByRole("heading", { name: "Scratched" }).waitFor();
  await page.getByText("holdfast doctor --export").waitFor();
  await expect
    .poll(() => page.locator(`[data-session="${session}"]`).first().textContent())
    .toContain("failed");

  replaceInStore("the sekond fact", "the second fact");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("list", { name: "Waiting inputs" }).getByText("the second fact").waitFor();
  expectNoFaults(page);
});

function replaceInStore(from: string, to: string): void {
  const file = new DatabaseSync(join(visit.server.home, "holdfast.db"), { timeout: 5_000 });
  const { changes } = file
    .prepare("update event set text = replace(text, ?1, ?2) where instr(text, ?1) > 0")
    .run(from, to);
  file.close();
  expect(changes).toBe(1);
}
