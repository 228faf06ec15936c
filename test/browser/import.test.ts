// An export comes back in through the page: chosen as a file, by mouse or keyboard alone, or refused with what is wrong.
import type { FileChooser } from "playwright-core";
import { expect, test } from "vitest";
import { useServer } from "./visit.ts";
import { expectNoFaults, type WatchedPage } from "./watched-page.ts";

const visit = useServer({ agents: false });

test("an export that is chosen on the page of a new session is there as one, and is opened", async () => {
  const lines = await exported("Travels");
  const page = await visit.open("/new");
  await choose(page, () => button(page).click(), "travels.jsonl", lines);
  await page.getByRole("heading", { name: "Travels" }).waitFor();
  const [imported, original] = (await sessions()).filter(({ title }) => title === "Travels");
  expect(page.url()).toContain(imported?.id);
  expect(original).toBeDefined();
  await expect.poll(() => news(page).getByRole("listitem").count()).toBe(0);
  expectNoFaults(page);
});

test("it is found in the palette and on the page by keyboard alone", async () => {
  const lines = await exported("By keys");
  const page = await visit.open("/inbox");
  const byPalette = async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("import a");
    await page.getByRole("option", { name: "Import a session…" }).waitFor();
    await page.keyboard.press("Enter");
  };
  await choose(page, byPalette, "by-keys.jsonl", lines);
  await page.getByRole("heading", { name: "By keys" }).waitFor();
  await page.goto(new URL("/new", page.url()).href);
  await choose(page, () => button(page).press("Enter"), "by-keys.jsonl", lines);
  await page.getByRole("heading", { name: "By keys" }).waitFor();
  expect(await sessions()).toHaveLength(3);
  expectNoFaults(page);
});

test("a file that is no export is refused with what is wrong and where, and nothing of it stays", async () => {
  const lines = await exported("Spoilt");
  const page = await visit.open("/new");
  const spoilt = lines.replace('"session_created"', '"session_ended"');
  for (const [name, contents, why] of [
    ["notes.md", "# Notes\n", "Line 1 is not JSON in UTF-8. Nothing of it was imported."],
    ["spoilt.jsonl", spoilt, "Line 1 "],
    ["empty.jsonl", "", "There is no event in it: send an export of a session."],
  ] as const) {
    await choose(page, () => button(page).click(), name, contents);
    const told = news(page)
      .getByRole("listitem")
      .filter({ hasText: `Not imported: ${name}` });
    await told.getByText(why).waitFor();
  }
  expect(await news(page).getByRole("listitem").count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe("/new");
  expect(await sessions()).toHaveLength(1);
  expectNoFaults(page, /400/);
});

test("of an export that was cut off what is there is taken when that is asked for", async () => {
  const lines = await exported("Cut off");
  const page = await visit.open("/new");
  const cut = lines.trimEnd().split("\n").slice(0, -1).join("\n");
  await choose(page, () => button(page).click(), "cut.jsonl", cut);
  await news(page).getByText("It was cut off").waitFor();
  await news(page).getByRole("button", { name: "Import what is there" }).click();
  await page.getByRole("heading", { name: "Cut off" }).waitFor();
  expect(await sessions()).toHaveLength(2);
  expectNoFaults(page, /400/);
});

async function exported(title: string): Promise<string> {
  const session = await visit.create(title);
  return (await visit.server.fetch(`/api/sessions/${session}/export?format=jsonl`)).text();
}

async function sessions(): Promise<{ id: string; title: string }[]> {
  return (await visit.call<{ items: { id: string; title: string }[] }>("GET", "/api/sessions")).items;
}

/** `open` takes a while: the browser is told that we wait for it at the same time. */
async function choose(
  page: WatchedPage,
  open: () => Promise<void>,
  name: string,
  contents: string,
): Promise<void> {
  const chooser: Promise<FileChooser> = page.waitForEvent("filechooser");
  await open();
  await (await chooser).setFiles({ name, mimeType: "", buffer: Buffer.from(contents) });
}

function button(page: WatchedPage) {
  return page.getByRole("button", { name: "Import a session…" });
}

function news(page: WatchedPage) {
  return page.getByRole("region", { name: "News" });
}
