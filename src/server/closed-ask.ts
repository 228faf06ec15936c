// Whoever answers what is answered already, or no longer asked, is told how it ended.
import type { AskRow } from "../store/store.ts";
import { refuse } from "./refusal.ts";

export function refuseClosed(ask: AskRow): never {
  const { id, state, answer, closedBy, closedAt } = ask;
  if (state !== "answered")
    refuse("ask_closed", `${id} was ${state} at ${closedAt}: it can't be answered any more.`, { ask });
  const who = closedBy && "person" in closedBy ? closedBy.person : "someone";
  const what = [answer?.choice, answer?.values?.join(", "), answer?.text].filter(
    (part) => part !== undefined,
  );
  refuse("answered", `${id} was answered by ${who} at ${closedAt}: ${what.join(": ")}.`, { ask });
}
