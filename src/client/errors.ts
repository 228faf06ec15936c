// The two ways in which a request fails: the server said no, or it could not be reached.
import { problem, problems, type Problem, type ProblemCode } from "../protocol/problem.ts";

/** The server's answer was a problem document. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
  get code(): ProblemCode {
    return this.problem.code;
  }
  get status(): number {
    return this.problem.status;
  }
}

/** No answer came: nothing listens there, the network is down, or it took too long. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  readonly url: string;
  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${reasonOf(cause)}`, { cause });
    this.url = url;
  }
}

/** What is not a problem document, such as a proxy's own page, becomes one. */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  const parsed = response.headers.get("content-type")?.includes("json") ? parseProblem(text) : undefined;
  return parsed ?? foreignProblem(response.status, text);
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.code === "string" && typeof value.detail === "string"
      ? (value as Problem)
      : undefined;
  } catch {
    return undefined; // cut off, or not what its type says
  }
}

const FOREIGN_TEXT_CHARS = 200;

function foreignProblem(status: number, text: string): Problem {
  const codes = Object.keys(problems) as ProblemCode[];
  const code = codes.find((name) => problems[name].status === status) ?? "internal";
  const shown = text.replaceAll(/\s+/g, " ").slice(0, FOREIGN_TEXT_CHARS);
  return { ...problem(code, `the answer was ${status} without a problem document: ${shown}`), status };
}

/** `fetch failed` alone tells nobody anything; the cause beneath does. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  if (!(inner instanceof Error)) return cause.message;
  if (inner.message === "bad port")
    return "this port is kept for another protocol, and HTTP is not spoken to it; let the server listen on another";
  // A host with several addresses fails with one error for each, under an empty message.
  if (inner instanceof AggregateError && inner.message === "") return inner.errors.map(reasonOf).join(", ");
  return inner.message;
}
