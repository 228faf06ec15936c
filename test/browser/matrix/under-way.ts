// The three moments in which work is left: in mid-sentence, in a tool that says nothing, with an ask open. Each goes on to
// the same end, whatever happened to the page and to the server meanwhile.
import { expect } from "vitest";
import type { WatchedPage } from "../watched-page.ts";
import type { Begun, Stage } from "./stage.ts";

export type UnderWay = Begun & {
  /** The page shows where the work stands. */
  expectShown(page: WatchedPage): Promise<void>;
  /** Lets it go on; resolves when the log has the end of the turn. `died`: the server did, so the model is asked anew. */
  finish(page: WatchedPage, how: { died: boolean }): Promise<void>;
};

export type Moment = "mid-sentence" | "silent tool" | "ask open";
export const MOMENTS: Moment[] = ["mid-sentence", "silent tool", "ask open"];

export const LAST_WORDS = "and now the boats lie on the sand.";

export function beginWork(stage: Stage, title: string, moment: Moment): Promise<UnderWay> {
  switch (moment) {
    case "mid-sentence":
      return inMidSentence(stage, title);
    case "silent tool":
      return inSilentTool(stage, title);
    case "ask open":
      return withAskOpen(stage, title);
  }
}

async function inMidSentence(stage: Stage, title: string): Promise<UnderWay> {
  const begun = await stage.begin(title);
  const speaker = await stage.model.asked(begun.prompt);
  speaker.think("What do the boats do? ").say("The tide went out ");
  return {
    ...begun,
    expectShown: (page) => page.locator("main").getByText("The tide went out").waitFor(),
    async finish(_, { died }) {
      const again = died ? (await stage.model.asked(begun.prompt)).say("The tide went out ") : speaker;
      again.say(LAST_WORDS).end();
      await stage.server.untilFact(begun.session, "turn_ended");
    },
  };
}

async function inSilentTool(stage: Stage, title: string): Promise<UnderWay> {
  const begun = await stage.begin(title);
  const go = `go-${begun.session}`;
  const command = `until [ -e ${go} ]; do sleep 0.05; done; echo went`;
  const speaker = await stage.model.asked(begun.prompt);
  speaker.say("I wait for the tide. ").call("shell", { command }).end();
  return {
    ...begun,
    expectShown: (page) => page.locator('[data-outcome="running"]').waitFor(),
    async finish() {
      await stage.server.touch(go);
      const next = await stage.model.asked(begun.prompt);
      expect(next.results.join()).toContain("went");
      next.say(LAST_WORDS).end();
      await stage.server.untilFact(begun.session, "turn_ended");
    },
  };
}

async function withAskOpen(stage: Stage, title: string): Promise<UnderWay> {
  const begun = await stage.begin(title, "careful");
  const speaker = await stage.model.asked(begun.prompt);
  speaker.say("I would look around. ").call("shell", { command: "echo looked" }).end();
  return {
    ...begun,
    expectShown: (page) => page.locator("main [data-ask]").getByText("echo looked").first().waitFor(),
    async finish(page) {
      await page.locator("main [data-ask]").getByRole("button", { name: "Once", exact: true }).click();
      const next = await stage.model.asked(begun.prompt);
      expect(next.results.join()).toContain("looked");
      next.say(LAST_WORDS).end();
      await stage.server.untilFact(begun.session, "turn_ended");
    },
  };
}
