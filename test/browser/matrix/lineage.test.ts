// V5: A is forked, or continued in a successor, from elsewhere while a person looks at B or at A itself. The row leads to the
// lineage's head; an old link opens that very session, to be read, and says where it goes on.
import { describe, expect, test } from "vitest";
import { expectPageEqualsProjection } from "../expect-projection.ts";
import { expectNoFaults, type WatchedPage } from "../watched-page.ts";
import { expectBadgesAgree } from "./badges.ts";
import { useStage, type Begun } from "./stage.ts";

const stage = useStage();

type Continuing = [how: string, go: (a: Begun) => Promise<string>, prompt: (a: Begun) => string | undefined];

/** Each gives the successor; and the prompt that the model is then asked, if there is one. */
const CONTINUINGS: Continuing[] = [
  ["regenerated", (a) => succeed(a, "regenerate"), ({ prompt }) => prompt],
  ["undone", (a) => succeed(a, "undo"), () => undefined],
  [
    "edited and sent again",
    async (a) => {
      const log = await stage.server.log(a.session);
      const { input } = log.find(({ type }) => type === "input_admitted")!.data as { input: string };
      return succeed(a, `inputs/${input}/resend`, { text: `${a.prompt}, edited` });
    },
    ({ prompt }) => `${prompt}, edited`,
  ],
];

describe.each(CONTINUINGS)("A is %s from elsewhere", (_, go, prompt) => {
  test("while B is looked at: one row, which leads to where it goes on; the old link still tells its own story", async () => {
    const a = await beginA();
    const b = await stage.call<{ id: string }>("POST", "/api/sessions", { title: "B" });
    const page = await stage.open(`/sessions/${a.session}`);
    await page.locator("main").getByText("The first answer.").waitFor();
    await page.locator(`li[data-session="${b.id}"]`).getByRole("link").click();
    await page.getByRole("heading", { name: "B" }).waitFor();

    const successor = await go(a);
    await page.locator(`li[data-session="${successor}"]`).waitFor();
    await expect.poll(() => page.locator(`li[data-session="${a.session}"]`).count()).toBe(0);
    await expectBadgesAgree(stage, [page]);
    await page.locator(`li[data-session="${successor}"]`).getByRole("link").click();
    await answerAgain(page, successor, prompt(a));

    await page.goto(`${stage.network.url}sessions/${a.session}`);
    await expectToldWhereItGoesOn(page, a, successor);
    expectNoFaults(page);
  });

  test("while A is looked at: it stays readable, and says where it goes on", async () => {
    const a = await beginA();
    const page = await stage.open(`/sessions/${a.session}`);
    await page.locator("main").getByText("The first answer.").waitFor();
    const successor = await go(a);
    await expectToldWhereItGoesOn(page, a, successor);
    await continuedIn(page, successor).click();
    await page.waitForURL(`**/sessions/${successor}`);
    await answerAgain(page, successor, prompt(a));
    await page.goBack();
    await expectToldWhereItGoesOn(page, a, successor);
    expectNoFaults(page);
  });
});

test("A is forked from elsewhere: a row of its own appears, and A goes on as it was", async () => {
  const a = await stage.begin("A");
  const speaker = await stage.model.asked(a.prompt);
  speaker.say("The first answer ");
  const page = await stage.open(`/sessions/${a.session}`);
  await page.locator("main").getByText("The first answer").waitFor();
  const fork = await stage.call<{ id: string }>("POST", `/api/sessions/${a.session}/fork`, {});
  await page.locator(`li[data-session="${fork.id}"]`).waitFor();
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  await page.locator(`li[data-session="${fork.id}"]`).getByRole("link").click();
  await page.waitForURL(`**/sessions/${fork.id}`);
  await expectPageEqualsProjection(page, stage.server, fork.id);
  speaker.say("goes on.").end();
  await page.locator(`li[data-session="${a.session}"]`).getByRole("link").click();
  await page.locator("main").getByText("The first answer goes on.").waitFor();
  await stage.server.untilFact(a.session, "turn_ended");
  await expectPageEqualsProjection(page, stage.server, a.session);
  await expectBadgesAgree(stage, [page]);
  expectNoFaults(page);
});

test("A is deleted from elsewhere: its row goes, and its link says that it is gone", async () => {
  const a = await beginA();
  const page = await stage.open(`/sessions/${a.session}`);
  await page.locator("main").getByText("The first answer.").waitFor();
  await stage.call("DELETE", `/api/sessions/${a.session}`);
  await page.getByText("There is no such session").waitFor();
  await expectBadgesAgree(stage, [page]);
  expectNoFaults(page);
});

/** A turn that is over, so that there is something to go back to. */
async function beginA(): Promise<Begun> {
  const a = await stage.begin("A");
  (await stage.model.asked(a.prompt)).say("The first answer.").end();
  await stage.server.untilFact(a.session, "turn_ended");
  return a;
}

async function succeed({ session }: Begun, how: string, body?: unknown): Promise<string> {
  return (await stage.call<{ id: string }>("POST", `/api/sessions/${session}/${how}`, body)).id;
}

async function answerAgain(page: WatchedPage, successor: string, prompt: string | undefined): Promise<void> {
  if (prompt !== undefined) {
    (await stage.model.asked(prompt)).say("The second answer.").end();
    await page.locator("main").getByText("The second answer.").waitFor();
    await stage.server.untilFact(successor, "turn_ended");
  }
  await expectPageEqualsProjection(page, stage.server, successor);
  await expectBadgesAgree(stage, [page]);
}

async function expectToldWhereItGoesOn(page: WatchedPage, a: Begun, successor: string): Promise<void> {
  await continuedIn(page, successor).waitFor();
  await expectPageEqualsProjection(page, stage.server, a.session);
  expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
}

function continuedIn(page: WatchedPage, successor: string) {
  return page.locator(`main a[href="/sessions/${successor}"]`).first();
}
