// How a session's last turn ended, in words for whoever gave it the work.
import type { FactData } from "../session/event.ts";
import type { Store } from "../store/store.ts";
import type { HeldSession } from "./held-session.ts";
import { modelContext } from "./model-context.ts";

export type TurnEnd = { outcome: FactData<"turn_ended">["outcome"]; text: string };

/** Undefined while no turn has ended. */
export async function endOfTurn(store: Store, session: HeldSession): Promise<TurnEnd | undefined> {
  const end = session.view.messages.findLast((message) => message.kind === "turn_end");
  if (end?.kind !== "turn_end") return undefined;
  const said = await lastWords(store, session);
  switch (end.outcome) {
    case "completed":
      return { outcome: end.outcome, text: said || "[it said nothing]" };
    case "failed":
      return {
        outcome: end.outcome,
        text: `It failed: ${end.error?.message ?? "no reason is known"}\n${said}`,
      };
    case "stopped":
      return { outcome: end.outcome, text: `A person stopped it.\n${said}` };
  }
}

async function lastWords(store: Store, { context }: HeldSession): Promise<string> {
  const [message] = await modelContext(
    store,
    context.entries.filter(({ role }) => role === "agent").slice(-1),
  );
  if (message?.role !== "agent") return "";
  return message.pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n");
}
