// Why an answer ended though it was not whole, for whoever reads it.
import type { FactData } from "./event.ts";
import type { StepMessage } from "./view.ts";

export type Finish = NonNullable<FactData<"step_completed">["finish"]>;

/** `isSilent`: it has neither words nor calls. Of one that has them, a reason that nobody knows says nothing to anyone. */
export function finishWords(finish: Finish | null | undefined, isSilent: boolean): string | undefined {
  switch (finish) {
    case "length":
      return "The model stopped at its length limit.";
    case "filter":
      return "The provider's filter ended this answer.";
    case "other":
      return isSilent ? "The provider ended this answer without a word, and did not say why." : undefined;
    case null:
    case undefined:
      return undefined;
  }
}

export function stepFinishWords({
  finish,
  parts,
}: Pick<StepMessage, "finish" | "parts">): string | undefined {
  return finishWords(
    finish,
    parts.every(({ kind }) => kind === "reasoning"),
  );
}
