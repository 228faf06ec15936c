// What a failed command means to the person who gave it.
import { ProblemError, Unreachable } from "../src/client/errors.ts";
import type { Problem } from "../src/protocol/problem.ts";

/** Anything but the client's own two failures is a fault of the page and goes on as one. */
export function failureWords(error: unknown): string {
  if (error instanceof ProblemError) return problemWords(error.problem);
  if (error instanceof Unreachable) return "The server could not be reached.";
  throw error;
}

/** A field is named as the person knows it, without the way to it through the request. */
function problemWords({ detail, faults }: Problem): string {
  const [fault] = faults ?? [];
  if (!fault) return detail;
  const name = fault.path.split(".").at(-1) ?? "";
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${fault.message}.`;
}
