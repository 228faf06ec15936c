// A session that was brought in is at rest: nothing in it waits for what only the place that it came from has.
import { mendFork } from "./fork.ts";
import type { NewFact } from "./event.ts";
import { formatPosition, seqOf } from "./position.ts";
import type { View } from "./view.ts";

/** Its id elsewhere, and where whoever brings it in wants it to work. */
export type Brought = { from?: string | undefined; workspace?: string | undefined };

/** What follows its facts. Unlike a fork it has all of them, also those of a step that was under way. */
export function importFacts(view: View, { from, workspace }: Brought): NewFact[] {
  const lastFact = formatPosition(seqOf(view.position), 0);
  return [
    {
      type: "session_imported",
      data: {
        ...(from !== undefined && { from }),
        at: lastFact,
        ...(workspace !== undefined && { workspace }),
      },
    },
    ...endStep(view),
    ...(view.compacting ? ([{ type: "compaction_failed", data: { reason: "imported" } }] as const) : []),
    ...mendFork(view, "imported"),
  ];
}

function endStep({ messages }: View): NewFact[] {
  const last = messages.findLast((message) => message.kind === "step");
  if (last?.state !== "streaming") return [];
  const { step, attempt } = last;
  return [{ type: "step_aborted", data: { step, attempt, reason: "imported" } }];
}
