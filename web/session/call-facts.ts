// The whole of a call, from the log: the view has only how its arguments and its result begin.
import type { Client } from "../../src/client/commands.ts";
import { readPage } from "../../src/client/replay.ts";
import { wholeText } from "./whole-text.ts";
import type { Fact } from "../../src/session/event.ts";
import type { Position } from "../../src/session/position.ts";

export type CallFacts = { args: unknown; result: string | null };

/** A step's calls stand behind it in the log, and not further than this many pages. */
const PAGES_MAX = 50;

/** `after` is where the call's step begins. */
export async function callFacts(
  client: Client,
  place: { session: string; after: Position; call: string },
): Promise<CallFacts> {
  const { session, call } = place;
  let after = place.after;
  let args: unknown = null;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await readPage(client, session, { after });
    for (const event of page.events as Fact[]) {
      // of another type it is none of those looked for
      if (event.type === "tool_proposed" && event.data.call === call) args = event.data.args;
      if (event.type === "tool_finished" && event.data.call === call)
        return { args, result: await wholeText(client, event.data.result) };
      after = event.position;
    }
    if (page.upToDate) break;
  }
  return { args, result: null };
}
