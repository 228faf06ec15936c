// What this device wants to be told of by the system, kept in this browser and the same in all its tabs.
import { createSignal } from "solid-js";

export type NewsKind = "approval" | "question" | "finished" | "failed";
export const NEWS_KINDS: readonly NewsKind[] = ["approval", "question", "finished", "failed"];

export type Choices = {
  kinds: Record<NewsKind, boolean>;
  /** From and until a time of day, "22:00"; null: at any time. */
  quiet: { from: string; until: string } | null;
};

/** Until someone turns it on, nothing is shown: that is what the browser's permission is asked for. */
const USUAL: Choices = {
  kinds: { approval: true, question: true, finished: true, failed: true },
  quiet: null,
};

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const KEY = "holdfast:notifications";
const [choices, setSignal] = createSignal<Choices>(parseChoices(localStorage.getItem(KEY)));
export { choices };

addEventListener("storage", (event) => {
  if (event.key === KEY) setSignal(parseChoices(event.newValue));
});

export function setChoices(next: Choices): void {
  setSignal(next);
  localStorage.setItem(KEY, JSON.stringify(next));
}

/** What is missing or not understood is as usual. */
export function parseChoices(text: string | null): Choices {
  let kept: Partial<{ kinds: Partial<Record<NewsKind, unknown>>; quiet: unknown }>;
  try {
    kept = (JSON.parse(text ?? "{}") ?? {}) as typeof kept; // checked field by field below
  } catch {
    return USUAL; // not ours
  }
  const kinds = { ...USUAL.kinds };
  for (const kind of NEWS_KINDS) if (kept.kinds?.[kind] === false) kinds[kind] = false;
  return { kinds, quiet: isHours(kept.quiet) ? kept.quiet : null };
}

function isHours(value: unknown): value is { from: string; until: string } {
  const { from, until } = (value ?? {}) as { from?: unknown; until?: unknown };
  return typeof from === "string" && typeof until === "string" && TIME.test(from) && TIME.test(until);
}
