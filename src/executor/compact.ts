// A context that does not fit is made shorter: the intent is in the log already; here the same model is asked for a summary,
// and what comes of it is one fact. Without one in time an extract takes its place, since the next call would not fit.
import type { Driver } from "../driver/driver.ts";
import { failpoint } from "../failpoint.ts";
import {
  planCompaction,
  roomFor,
  SUMMARY_INSTRUCTIONS,
  summaryText,
  transcriptOf,
  type Plan,
} from "../session/compaction.ts";
import type { LongText, Usage } from "../session/event.ts";
import { failFacts } from "../session/next-step.ts";
import { preview } from "../session/parts.ts";
import { seqOf } from "../session/position.ts";
import type { Clock } from "./clock.ts";
import type { HeldSession } from "./held-session.ts";

export type Compaction = {
  session: HeldSession;
  driver: Driver;
  model: string;
  contextTokens: number;
  timeoutMs: number;
  signal: AbortSignal;
  price: (usage: Usage) => Usage;
  longText: (text: string) => Promise<LongText>;
  clock: Clock;
};

export async function compact(compaction: Compaction): Promise<void> {
  const { session, model, contextTokens, signal, longText, price } = compaction;
  const { view, context } = session;
  const plan = planCompaction(context, contextTokens);
  if (!plan) {
    if (view.turn)
      await session.append(
        failFacts(
          view,
          view.turn.id,
          "context_too_long",
          "It is too long, and nothing of it can be left out.",
        ),
      );
    return;
  }
  failpoint("after-intent");
  const said = await summarise(compaction, plan);
  failpoint("after-effect");
  if (signal.aborted) return; // a stop is told by its own facts; after a shutdown another does it anew
  const method = said === undefined ? "fallback" : "model";
  const body = said?.text ?? transcriptOf(plan.covered, roomFor(context.entries, contextTokens));
  await session.append([
    {
      type: "context_compacted",
      data: {
        summary: await longText(summaryText(plan, context, method, body)),
        covers: plan.covers,
        method,
        ...(said && { model }),
        ...(said?.usage && { usage: price(said.usage) }),
      },
    },
  ]);
}

/** Undefined when the model did not give one in time. */
async function summarise(
  { session, driver, model, contextTokens, timeoutMs, signal, clock }: Compaction,
  { covered }: Plan,
): Promise<{ text: string; usage: Usage | null } | undefined> {
  const late = new AbortController();
  const cancel = clock.after(timeoutMs, () => late.abort());
  const room = roomFor(session.context.entries, contextTokens);
  try {
    const result = await driver.step(
      {
        model,
        step: `c${seqOf(session.view.position)}`,
        instructions: SUMMARY_INSTRUCTIONS,
        context: [{ role: "person", text: transcriptOf(covered, 2 * room), files: [] }],
        tools: [],
        session: session.id,
      },
      () => {}, // what it says on the way is nobody's to see
      AbortSignal.any([signal, late.signal]),
    );
    if (result.outcome !== "completed") return undefined;
    const text = result.message
      .map((piece) => (piece.type === "text" ? piece.text : ""))
      .join("")
      .trim();
    return text === "" ? undefined : { text: preview(text, room), usage: result.usage };
  } finally {
    cancel();
  }
}
