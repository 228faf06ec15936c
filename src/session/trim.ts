// The bound of a view: the newest messages, within a size. What is left out is paged from the log.
import type { Message, View } from "./view.ts";
import { MESSAGES_MAX, VIEW_MAX_CHARS } from "./view.ts";

/** Drops from the front what is too much; gives the ids of what went. */
export function trim(view: View): string[] {
  const dropped: string[] = [];
  while (view.messages.length > MESSAGES_MAX || (view.chars > VIEW_MAX_CHARS && view.messages.length > 1)) {
    const [oldest] = view.messages;
    if (!oldest || (view.turn !== null && isOpen(oldest))) break;
    view.messages.shift();
    view.chars -= weight(oldest);
    view.earlier += 1;
    dropped.push(oldest.id);
  }
  return dropped;
}

/** Counts what facts brought. Drafts weigh nothing: a log whose drafts were swept must give the same view. */
export function weight(message: Message): number {
  switch (message.kind) {
    case "input":
    case "notice":
    case "divider":
      return OVERHEAD + lengthOf(message.text);
    case "turn_end":
      return OVERHEAD + (message.message?.length ?? 0);
    case "task":
      return OVERHEAD + lengthOf(message.summary ?? "");
    case "step":
      if (message.state === "streaming") return OVERHEAD;
      return message.parts.reduce(
        (sum, part) =>
          sum +
          OVERHEAD +
          (part.kind === "tool" ? part.result.length + jsonLength(part.args) : part.text.length),
        OVERHEAD,
      );
  }
}

const OVERHEAD = 100;

/** A step whose calls are not done is what the executor works on: it stays however large the view is. */
function isOpen(message: Message): boolean {
  if (message.kind !== "step") return false;
  if (message.state === "streaming") return true;
  return message.parts.some(
    (part) => part.kind === "tool" && (part.state === "proposed" || part.state === "started"),
  );
}

function lengthOf(text: string | { preview: string }): number {
  return typeof text === "string" ? text.length : text.preview.length;
}

function jsonLength(value: unknown): number {
  return value === null || value === undefined ? 0 : JSON.stringify(value).length;
}
