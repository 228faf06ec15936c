import { ProblemError } from "../../src/client/errors.ts";
import { failureWords } from "../failure-words.ts";

/** Two persons, or a person and the agent, may reach for the same input: who was first is said, not how it failed. */
export function queueFailureWords(error: unknown): string {
  if (!(error instanceof ProblemError) || error.code !== "not_queued") return failureWords(error);
  const fate = error.problem["input"] as { state?: string } | undefined; // as the server says what became of it
  return fate?.state === "withdrawn"
    ? "It was removed meanwhile."
    : "The agent has taken it already: say it anew below, or edit it in the transcript.";
}
