// A backup is put in place of the store while the page is open.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { begin, envOf, holdfast } from "../holdfast.ts";
import { useServer } from "./visit.ts";
import { newTab, type WatchedPage } from "./watched-page.ts";

const visit = useServer({ agents: false });

test("a tab that is open over a restore says why it is to log in, and then shows what was restored", async () => {
  const env = envOf(visit.server);
  const kept = await begin(env, "In the backup", "before the backup");
  const page = await visit.open(`/sessions/${kept}`);
  const folder = await mkdtemp(join(tmpdir(), "holdfast-restored-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "a.backup");
  expect(await holdfast(env, ["backup", file])).toMatchObject({ code: 0 });
  await holdfast(env, ["send", kept, "after the backup"]);
  const later = await begin(env, "Too late for it", "gone");
  const other = await newTab(visit.person, `${visit.server.url}/sessions/${later}`);
  await other.getByRole("heading", { name: "Too late for it" }).waitFor();
  await page.locator("main").getByText("after the backup").waitFor();
  await composer(page).fill("half a thought");

  await visit.server.kill("SIGTERM");
  expect(await holdfast({ HOLDFAST_HOME: visit.server.home }, ["restore", file])).toMatchObject({ code: 0 });
  await visit.server.start();
  await page.getByText("a backup was restored").waitFor();
  await other.getByText("a backup was restored").waitFor();
  await newTab(visit.person, await visit.loginLink());
  await page.getByText("The server has another store than before").waitFor();
  await page.locator("main").getByText("before the backup").waitFor();
  await expect.poll(() => page.getByText("after the backup").count()).toBe(0);
  expect(await composer(page).inputValue()).toBe("half a thought");
  await other.getByRole("heading", { name: "There is no such session" }).waitFor();
  await other.getByText("The server has another store than before").waitFor();
});

function composer(page: WatchedPage) {
  return page.getByRole("textbox", { name: "Message" });
}
