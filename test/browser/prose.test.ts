// What a model says, in a real browser: Markdown with links, images, code and tables.
import { beforeEach, expect, test } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { Script, text } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useScriptedServer();
let session: string;

beforeEach(async () => {
  session = await visit.server.create("Prose");
  await visit.person.grantPermissions(["clipboard-read", "clipboard-write"]);
});

test("Markdown is shown as what it means", async () => {
  const page = await say(
    "# Plan\n\n- [x] read\n- [ ] write\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n> said **so**",
  );
  await page.getByRole("heading", { name: "Plan" }).waitFor();
  expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(1);
  expect(await page.getByRole("checkbox").count()).toBe(2);
  expect(await page.getByRole("cell").allTextContents()).toEqual(["1", "2"]);
  await page.locator("blockquote strong", { hasText: "so" }).waitFor();
  expectNoFaults(page);
});

test("code is coloured when it is whole, plain while it grows, and copied as it is", async () => {
  const page = await open();
  await visit.server.play(session, begun().draft("text", 0, "```ts\nconst a: number = 1;\n"));
  const code = page.getByRole("figure").locator("code");
  await code.getByText("const a: number = 1;").waitFor();
  expect(await code.locator("span.k-keyword").count()).toBe(0);

  const source = 'const a: number = 1;\nconst b = "<b>&amp;</b>";';
  await visit.server.append(session, [
    {
      type: "step_completed",
      data: { step: "step_a3", attempt: 1, message: [text(`\`\`\`ts\n${source}\n\`\`\``)] },
    },
  ]);
  await code.locator("span.k-keyword", { hasText: "const" }).first().waitFor();
  expect(await code.textContent()).toBe(source);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(source);
  expectNoFaults(page);
});

test("a link outside opens a tab that knows nothing of this one; one of our own stays here; the rest are words", async () => {
  const other = await visit.server.create("The other one");
  const page = await say(
    `[out](https://example.org/a) [in](/sessions/${other}) [file](src/main.ts) [run](javascript:alert(1))`,
  );
  const out = page.getByRole("link", { name: "out" });
  expect(await out.getAttribute("rel")).toBe("noopener noreferrer");
  expect(await out.getAttribute("target")).toBe("_blank");
  expect(await page.locator(".prose a").allTextContents()).toEqual(["out", "in"]);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole("link", { name: "in", exact: true }).click();
  await page.getByRole("heading", { name: "The other one" }).waitFor();
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  expectNoFaults(page);
});

test("a remote image is fetched when its button is clicked, and not before", async () => {
  const fetched: string[] = [];
  await visit.person.route("https://img.example.org/**", (route) => {
    fetched.push(route.request().url());
    return route.fulfill({ contentType: "image/svg+xml", body: IMAGE });
  });
  const page = await say(
    "See:\n\n![a chart](https://img.example.org/a.svg)\n\n![x](data:image/png;base64,AA)",
  );
  const button = page.getByRole("button", { name: "Load image from img.example.org: a chart" });
  await button.waitFor();
  await page.getByText("[embedded image, not shown: x]").waitFor();
  expect(fetched).toEqual([]);
  await button.click();
  const frame = page.locator("iframe.image");
  await expect.poll(() => frame.evaluate((each) => each.clientWidth)).toBe(120);
  expect(fetched).toEqual(["https://img.example.org/a.svg"]);
  expectNoFaults(page, /^request: https:\/\/img\.example\.org/);
});

test("a text too long for its event stays whole for whoever saw it come, and can be asked for by others", async () => {
  const page = await open();
  const whole = "word ".repeat(14_000).trim();
  const preview = whole.slice(0, 4096);
  await visit.server.play(session, begun().draft("text", 0, whole.slice(0, 40_000), whole.slice(40_000)));
  const shown = () => page.locator("li.step .text").evaluate((each) => each.textContent.length);
  await expect.poll(shown).toBe(whole.length);
  const long = { type: "text" as const, text: { blob: "blb_1", bytes: whole.length, preview } };
  await visit.server.append(session, [
    { type: "step_completed", data: { step: "step_a3", attempt: 1, message: [long] } },
    { type: "turn_ended", data: { turn: "turn_a2", outcome: "completed" } },
  ]);
  await page.getByText(/^completed/).waitFor();
  expect(await shown()).toBe(whole.length);

  await page.route("**/api/blobs/blb_1", (route) =>
    route.fulfill({ body: whole, contentType: "text/plain" }),
  );
  await page.reload();
  await expect.poll(shown).toBe(preview.trim().length);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect.poll(shown).toBeGreaterThan(60_000);
  expectNoFaults(page);
});

const IMAGE = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"/>`;

function begun(): Script {
  return new Script("a").admit("Go.").take("inp_a1", formatPosition(2, 0)).begin();
}

async function say(markdown: string): Promise<WatchedPage> {
  await visit.server.play(
    session,
    begun()
      .complete([text(markdown)])
      .end(),
  );
  return open();
}

async function open(): Promise<WatchedPage> {
  const page = await visit.open(`/sessions/${session}`);
  await page.getByRole("heading", { name: "Prose" }).waitFor();
  return page;
}
