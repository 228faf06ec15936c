// What the command palette can do in the session that is open, beside what it can do with any session.
import type { Client, SessionRow } from "../../src/client/commands.ts";
import { failedTurn } from "../../src/session/retry.ts";
import { sessionPath } from "../address.ts";
import { addCommands } from "../palette/commands.ts";
import { closePanel, isPanelOpen, openPanel } from "../panel/open.ts";
import { navigate } from "../route.ts";
import type { Followed } from "../state/followed.ts";

/** For as long as the calling component is there. */
export function addPaneCommands(
  { id, session }: Followed,
  client: Pick<Client, "retry" | "regenerate" | "undo" | "releaseQueue">,
): void {
  /** The past can be changed only while nothing is being added to it. */
  const isStill = () => {
    const { view } = session;
    return view !== null && view.turn === null && view.ended === null && view.counts.messages > 0;
  };
  const goOn = async (successor: Promise<SessionRow>) => navigate(sessionPath((await successor).id));
  addCommands([
    {
      id: "pane.panel",
      title: "Show or hide what there is about this session",
      also: "panel processes usage context files side details",
      keys: "mod+b",
      run: () => (isPanelOpen() ? closePanel() : openPanel()),
    },
    {
      id: "pane.retry",
      title: "Try the turn that failed again",
      also: "retry go on",
      when: () => session.view !== null && failedTurn(session.view) !== undefined,
      run: async () => void (await client.retry(id)),
    },
    {
      id: "pane.regenerate",
      title: "Have the last answer anew",
      also: "regenerate retry",
      when: isStill,
      run: () => goOn(client.regenerate(id)),
    },
    {
      id: "pane.undo",
      title: "Go back to before the last turn",
      also: "undo",
      when: isStill,
      run: () => goOn(client.undo(id)),
    },
    {
      id: "pane.release",
      title: "Let the queue go on",
      also: "held release continue",
      when: () => session.view?.held === true && session.view.queue.length > 0,
      run: async () => void (await client.releaseQueue(id)),
    },
  ]);
}
