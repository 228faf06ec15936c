// A session that Holdfast itself failed over and left alone, as whoever comes back to it sees it.
import { expect, test } from "vitest";
import { Script } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
const GAVE_UP = { type: "executor_gave_up", data: { epoch: 1, reason: "no such fold" } } as const;

test("a session that was left alone is called failed in its row and its head, with the reason and what to do, until it goes on", async () => {
  const session = await visit.server.create("Stuck");
  const script = new Script("s").admit("go", "inp_1");
  const from = await visit.server.play(session, script);
  await visit.server.play(session, new Script("s").take("inp_1", from).begin().draft("text", 0, "Well"));
  const page = await visit.open(`/sessions/${session}`);
  await expectStatus(page, /^running/);
  await expect.poll(() => carets(page)).toBeGreaterThan(0);
  await visit.server.append(session, [GAVE_UP]);
  await expectStatus(page, /^failed$/);
  await expect.poll(() => carets(page)).toBe(0);
  await page
    .getByRole("main")
    .getByText(/^Holdfast itself failed here .* Send anything to try again\. The reason: no such fold$/)
    .waitFor();
  await expect.poll(() => rowOf(page, session)).toMatch(/failed: Holdfast itself failed here/);

  await visit.server.append(session, [{ type: "executor_recovered", data: { epoch: 2, takeover: 0 } }]);
  await expectStatus(page, /^running/);
  await expect.poll(() => rowOf(page, session)).not.toContain("failed");
  expectNoFaults(page);
});

test("an input that was never begun with is called failed as well as queued", async () => {
  const session = await visit.server.create("Never begun");
  await visit.server.play(session, new Script("s").admit("go", "inp_1"));
  await visit.server.append(session, [GAVE_UP]);
  const page = await visit.open(`/sessions/${session}`);
  await expectStatus(page, /^failed · queued$/);
  await expect.poll(() => rowOf(page, session)).toContain("failed · queued");
  expectNoFaults(page);
});

/** Where something is still being written. */
function carets(page: WatchedPage): Promise<number> {
  return page.locator(".log .caret").count();
}

async function expectStatus(page: WatchedPage, words: RegExp): Promise<void> {
  await expect.poll(() => page.locator(".head .status .words").textContent()).toMatch(words);
}

function rowOf(page: WatchedPage, session: string): Promise<string | null> {
  return page.locator(`[data-session="${session}"]`).first().textContent();
}
