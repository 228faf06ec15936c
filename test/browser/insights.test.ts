// What agents have used, as the page shows it while they use more.
import { expect, test } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();

test("what was used is told by day, model, profile and session, and more of it while one looks", async () => {
  const session = await visit.create("Heron reports");
  await visit.server.append(session, step("s1", { inputTokens: 12_000, outputTokens: 400, cost: 0.25 }));
  const page = await visit.open("/insights");
  const today = page.getByRole("list", { name: "Tokens by day" }).getByRole("listitem").last();
  await today.filter({ hasText: "12.4k tokens · $0.25" }).waitFor({ state: "attached" });
  await page.getByRole("list", { name: "Cost by day" }).waitFor();
  await expect.poll(() => rowsOf(page, "By model")).toEqual(["local/heron 12.4k tokens · $0.25"]);
  await expect.poll(() => rowsOf(page, "By profile")).toEqual(["default 12.4k tokens · $0.25"]);

  await visit.server.append(session, step("s2", { inputTokens: 7_000, outputTokens: 600, cost: 0.25 }));
  await today.filter({ hasText: "20k tokens · $0.50" }).waitFor({ state: "attached" });
  await expect.poll(() => rowsOf(page, "By session")).toEqual(["Heron reports 20k tokens · $0.50"]);

  await page.getByRole("radio", { name: "7 days" }).check();
  await expect.poll(() => new URL(page.url()).search).toBe("?days=7");
  await expect.poll(() => page.getByRole("list", { name: "Tokens by day" }).locator("li").count()).toBe(7);
  await page.getByRole("main").getByRole("link", { name: "Heron reports" }).click();
  await page.waitForURL(`**/sessions/${session}`);
  expectNoFaults(page);
});

test("no cost is made up for a model without a price, and what a deleted session used stays", async () => {
  const session = await visit.create("Reeds");
  await visit.server.append(session, step("s1", { inputTokens: 900, outputTokens: 100 }, "local/reed"));
  await visit.call("DELETE", `/api/sessions/${session}`);
  const page = await visit.open("/insights");
  await expect.poll(() => rowsOf(page, "By model")).toContain("local/reed 1k tokens");
  await expect.poll(() => rowsOf(page, "By session")).toContain("a deleted session 1k tokens");
  expectNoFaults(page);
});

test("an answer that comes late does not replace that to a later question", async () => {
  const sessions = await Promise.all(Array.from({ length: 9 }, (_, n) => visit.create(`Session ${n}`)));
  for (const [n, session] of sessions.entries())
    await visit.server.append(session, step(`s${n}`, { inputTokens: 1000 - n, outputTokens: 1 }));
  const page = await visit.open("/");
  const held = Promise.withResolvers<void>();
  let first = true;
  await page.route("**/api/usage?by=session*", async (route) => {
    const answer = await route.fetch();
    if (!first && route.request().url().includes("limit=8")) await held.promise;
    first = false;
    await route.fulfill({ response: answer });
  });
  await page.getByRole("link", { name: "Insights" }).click();
  const all = page.getByRole("region", { name: "By session" }).getByRole("listitem");
  await expect.poll(() => all.count()).toBe(8);
  const asked = page.waitForRequest((request) => request.url().includes("by=session"));
  await visit.server.append(sessions[0]!, step("more", { inputTokens: 5, outputTokens: 1 }));
  await asked;
  const late = page.waitForResponse((response) => response.url().includes("limit=8"));
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => all.count()).toBeGreaterThan(8);
  held.resolve();
  await late;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  expect(await all.count()).toBeGreaterThan(8);
});

test("what could not be read says why, and is read at a press", async () => {
  const page = await visit.open("/");
  await page.route("**/api/usage?*", (route) => route.fulfill(refusal), { times: 4 });
  await page.getByRole("link", { name: "Insights" }).click();
  const again = page.getByRole("button", { name: "Try again" });
  await expect.poll(() => again.count()).toBe(4);
  await again.first().click();
  await page.getByRole("list", { name: "Tokens by day" }).waitFor();
});

const refusal = {
  status: 403,
  contentType: "application/problem+json",
  body: JSON.stringify({ status: 403, code: "forbidden", title: "Not now." }),
};

type Used = { inputTokens: number; outputTokens: number; cost?: number };

function step(id: string, usage: Used, model = "local/heron"): NewEvent[] {
  return [
    { type: "step_started", data: { turn: `turn_${id}`, step: id, attempt: 1, model } },
    { type: "step_completed", data: { step: id, attempt: 1, model, message: [], usage } },
  ];
}

async function rowsOf(page: WatchedPage, section: string): Promise<string[]> {
  const rows = await page.getByRole("region", { name: section }).getByRole("listitem").all();
  return Promise.all(
    rows.map(async (row) =>
      [await row.locator(".name").textContent(), await row.locator(".amount").textContent()].join(" "),
    ),
  );
}
