// A rule that a person made by answering "always", and that they did. Both are done again by whoever takes over before the
// call began: the same rule is one, and so is the deed of one ask.
import { deedIdOf } from "../store/deed-id.ts";
import type { AskRow, NewRule, Store } from "../store/store.ts";

/** The call that was asked about. */
export type Asked = { session: string; call: string };

const ASKS_PAGE = 50;

export async function saveRule(store: Store, rule: NewRule, asked: Asked): Promise<void> {
  const { id, profile, tool } = await store.addRule(rule);
  const { session } = asked;
  const ask = await answeredAsk(store, asked);
  if (!ask) return; // of the session that this one was copied from, where it was noted
  await store.noteDeed({
    id: deedIdOf("rule_made", session, ask.id),
    deed: "rule_made",
    by: ask.closedBy,
    credential: null, // of the answer, which the trail has too
    what: { rule: id, profile, tool, session, ask: ask.id },
  });
}

async function answeredAsk(
  store: Store,
  { session, call }: Asked,
): Promise<(AskRow & { closedBy: NonNullable<AskRow["closedBy"]> }) | undefined> {
  for (let after: string | undefined; ;) {
    const filter = { open: false, sessions: [session], limit: ASKS_PAGE };
    const { items, next } = await store.asks({ ...filter, ...(after !== undefined && { after }) });
    for (const ask of items)
      if (ask.call === call && ask.state === "answered" && ask.closedBy)
        return { ...ask, closedBy: ask.closedBy };
    if (next === null) return undefined;
    after = next;
  }
}
