// What a failed command means to the person who gave it.
import { ProblemError, Unreachable } from "../src/client/errors.ts";

/** Anything but the client's own two failures is a fault of the page and goes on as one. */
export function failureWords(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail;
  if (error instanceof Unreachable) return "The server could not be reached.";
  throw error;
}
