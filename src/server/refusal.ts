// How a route says no: it throws a Refusal, and errors.ts, the one place that maps to HTTP, answers with the document.
import { problem, type Problem, type ProblemCode } from "../protocol/problem.ts";

export class Refusal extends Error {
  readonly problem: Problem;
  readonly headers: Record<string, string>;
  constructor(document: Problem, headers: Record<string, string> = {}) {
    super(document.detail);
    this.problem = document;
    this.headers = headers;
  }
}

export function refuse(
  code: ProblemCode,
  detail: string,
  more?: Record<string, unknown>,
  headers?: Record<string, string>,
): never {
  throw new Refusal(problem(code, detail, more), headers);
}

/** What no schema can know: that a value names nothing. */
export function refuseField(path: string, message: string): never {
  const stop = message.endsWith(".") ? "" : ".";
  refuse("schema", `The request does not fit: ${path} ${message}${stop}`, { faults: [{ path, message }] });
}
