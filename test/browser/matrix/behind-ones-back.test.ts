// V2, V3, V5, V6: what happens to A while a person looks at B shows in A's row at once, and in A when it is opened; B is left
// alone.
import { describe, expect, test } from "vitest";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaults, type WatchedPage } from "../watched-page.ts";
import { expectBadgesAgree } from "./badges.ts";
import { useStage, type Begun } from "./stage.ts";
import type { Speaker } from "../../conducted-model.ts";

const stage = useStage();

type Ending = [how: string, words: string, mark: string, end: (a: Begun, speaker: Speaker) => Promise<void>];

/** Each begins in mid-sentence. */
const ENDINGS: Ending[] = [
  [
    "ends",
    "and back again.",
    "unread",
    async (a, speaker) => {
      speaker.say("and back again.").end();
      await stage.server.untilFact(a.session, "turn_ended");
    },
  ],
  [
    "fails",
    "The key is not valid",
    "failed",
    async (a, speaker) => {
      speaker.fail("The key is not valid");
      await stage.server.untilFact(a.session, "turn_ended");
    },
  ],
  [
    "is stopped",
    "There and ",
    "none",
    async (a) => {
      await stage.call("POST", `/api/sessions/${a.session}/stop`);
      await stage.server.untilFact(a.session, "turn_ended");
    },
  ],
];

describe("while a person looks at B", () => {
  test.each(ENDINGS)("A %s: its row settles, and opening it shows the whole", async (_, words, mark, end) => {
    const page = await stage.open("/new");
    const { a, speaker } = await beginA();
    const b = await stage.call<{ id: string }>("POST", "/api/sessions", { title: "B" });
    await look(page, "A");
    await page.locator("main").getByText("There and").waitFor();
    await look(page, "B");
    await end(a, speaker);
    await expect.poll(() => row(page, "A").locator(".mark").getAttribute("class")).toContain(mark);
    await expectBadgesAgree(stage, [page]);
    await expectPageEqualsProjection(page, stage.server, b.id);
    await look(page, "A");
    await page.locator("main").getByText(words).first().waitFor();
    await expectPageEqualsProjection(page, stage.server, a.session);
    await expectBadgesAgree(stage, [page]);
    expectNoFaults(page);
  });

  test.each(ENDINGS)("and both run, A %s: B goes on untouched", async (_, words, __, end) => {
    const page = await stage.open("/new");
    const { a, speaker } = await beginA();
    const b = await stage.begin("B");
    const speakerOfB = await stage.model.asked(b.prompt);
    speakerOfB.say("Hither and ");
    await look(page, "A");
    await look(page, "B");
    await page.locator("main").getByText("Hither and").waitFor();
    const before = await stage.server.log(b.session);
    await end(a, speaker);
    await expectBadgesAgree(stage, [page]);
    expect(await stage.server.log(b.session)).toEqual(before);
    await expectPageEqualsProjection(page, stage.server, b.session);
    speakerOfB.say("thither.").end();
    await page.locator("main").getByText("Hither and thither.").waitFor();
    await stage.server.untilFact(b.session, "turn_ended");
    await expectPageEqualsProjection(page, stage.server, b.session);
    await look(page, "A");
    await page.locator("main").getByText(words).first().waitFor();
    await expectPageEqualsProjection(page, stage.server, a.session);
    await expectBadgesAgree(stage, [page]);
    expectNoFaults(page);
  });

  test.each([
    ["an approval", "careful", "shell", { command: "rm -r build" }, "approval", "rm -r build"],
    ["a question", "default", "ask", { question: "Left or right?" }, "question", "Left or right?"],
  ] as const)(
    "A asks for %s: its row says so, a reload too, and A shows it",
    async (_, profile, name, args, mark, words) => {
      const a = await stage.begin("A", profile);
      const b = await stage.begin("B");
      const page = await stage.open(`/sessions/${b.session}`);
      (await stage.model.asked(b.prompt)).say("Hither and ");
      (await stage.model.asked(a.prompt)).say("May I? ").call(name, args).end();
      for (const again of [() => Promise.resolve(), () => page.reload()]) {
        await again();
        await expect.poll(() => row(page, "A").locator(".mark").getAttribute("class")).toContain(mark);
        await expectBadgesAgree(stage, [page]);
      }
      await look(page, "A");
      await page.locator("main [data-ask]").getByText(words).first().waitFor();
      await expectPageEqualsProjection(page, stage.server, a.session);
      await page.reload();
      await page.locator("main [data-ask]").getByText(words).first().waitFor();
      await expectPageEqualsProjection(page, stage.server, a.session);
      expectNoFaults(page);
    },
  );

  test.each(["while it is", "after it was"])(
    "A's context is compacted: its row says so, and who comes back %s finds all that was said, before and since",
    async (moment) => {
      const a = await stage.begin("A");
      (await stage.model.asked(a.prompt)).say(`A long story. ${"And on it went. ".repeat(50)}`).end();
      await stage.server.untilFact(a.session, "turn_ended");
      const b = await stage.create("B");
      const page = await stage.open(`/sessions/${a.session}`);
      await page.locator("main").getByText("A long story.").waitFor();
      await look(page, "B");
      await stage.server.send("And the end?", a.session);
      (await stage.model.asked("And the end?")).tooLong();
      const summary = await stage.model.asked(/A long story\./);
      await row(page, "A").getByText("compacting its context").waitFor();
      await expectBadgesAgree(stage, [page]);
      await expectPageEqualsProjection(page, stage.server, b);
      if (moment === "while it is") await look(page, "A");
      summary.say("There was a long story.").end();
      (await stage.model.asked(/And the end\?/)).say("There and back again.").end();
      await stage.server.untilFact(a.session, "turn_ended", 2);
      await expectBadgesAgree(stage, [page]);
      if (moment === "after it was") await look(page, "A");
      for (const again of [() => Promise.resolve(), () => page.reload()]) {
        await again();
        await page.locator("main").getByText("context compacted", { exact: true }).waitFor();
        await page.locator("main").getByText("There and back again.").waitFor();
        await expectPageEqualsProjection(page, stage.server, a.session);
      }
      await expectBadgesAgree(stage, [page]);
      expectNoFaults(page);
    },
  );
});

async function beginA(): Promise<{ a: Begun; speaker: Speaker }> {
  const a = await stage.begin("A");
  const speaker = await stage.model.asked(a.prompt);
  speaker.say("There and ");
  await stage.server.untilFact(a.session, "draft");
  return { a, speaker };
}

async function look(page: WatchedPage, title: string): Promise<void> {
  await row(page, title).getByRole("link").click();
  await page.getByRole("heading", { name: title, exact: false }).waitFor();
}

function row(page: WatchedPage, title: string) {
  return page
    .locator("li[data-session]")
    .filter({ has: page.locator(".title", { hasText: new RegExp(`^${title}$`) }) });
}
