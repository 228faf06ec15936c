// How a session's last turn ended, in words for whoever gave it the work.
import type { FactData } from "../session/event.ts";
import { stepFinishWords } from "../session/finish-words.ts";
import type { Step } from "../session/parts.ts";
import type { View } from "../session/view.ts";
import type { Store } from "../store/store.ts";

type Blobs = Pick<Store, "blob">;

export type TurnEnd = { outcome: FactData<"turn_ended">["outcome"]; text: string };

/** Undefined while no turn has ended. */
export async function endOfTurn(store: Blobs, { messages }: View): Promise<TurnEnd | undefined> {
  const end = messages.findLast((message) => message.kind === "turn_end");
  if (end?.kind !== "turn_end") return undefined;
  const step = messages.findLast(
    (message): message is Step => message.kind === "step" && message.state === "completed",
  );
  const last = step?.turn === end.turn ? step : undefined;
  const said = last ? await wordsOf(store, last) : "";
  const why = last && stepFinishWords(last);
  switch (end.outcome) {
    case "completed":
      return {
        outcome: end.outcome,
        text: [said || "[it said nothing]", ...(why === undefined ? [] : [why])].join("\n"),
      };
    case "failed":
      return {
        outcome: end.outcome,
        text: `It failed: ${end.error?.message ?? "no reason is known"}\n${said}`,
      };
    case "stopped":
      return { outcome: end.outcome, text: `A person stopped it.\n${said}` };
  }
}

async function wordsOf(store: Blobs, { parts }: Step): Promise<string> {
  const texts: string[] = [];
  for (const part of parts)
    if (part.kind === "text") {
      const whole = part.blob === null ? undefined : await store.blob(part.blob);
      texts.push(whole?.toString("utf8") ?? part.text);
    }
  return texts.join("\n");
}
