// Whether an input is what a delegate brought back rather than what somebody said.
import type { Message } from "../../src/session/view.ts";

/** Of logs from before results named their delegate, the author tells. */
export function isDelegateResult(message: Message): boolean {
  if (message.kind !== "input") return false;
  return message.delegate !== undefined || ("keeper" in message.by && message.by.keeper === "delegates");
}
