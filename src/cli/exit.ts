// How a command ends: its exit code, and the one line (or the problem document) that says why.
import { CommanderError } from "commander";
import { ProblemError, Unreachable } from "../client/errors.ts";
import type { StoreRefusal } from "./deps.ts";

export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, unreachable: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What a command itself finds wrong: what happened, and what to do. */
export class Failure extends Error {
  readonly kind: "failed" | "usage" | "not_found" | "conflict" | "unreachable";
  /** Further members of the problem document. */
  readonly more: Record<string, unknown>;
  constructor(kind: Failure["kind"], message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.kind = kind;
    this.more = more;
  }
}

/** A store that a command wanted to open itself. */
export function storeFailure({ code, detail }: StoreRefusal): Failure {
  const kinds = { in_use: "conflict", not_found: "not_found", unusable: "failed" } as const;
  return new Failure(kinds[code], detail);
}

export type Ending = { code: ExitCode; line: string; problem: Record<string, unknown> };

/** Undefined for a surprise, which is thrown on. */
export function endingOf(error: unknown): Ending | undefined {
  if (error instanceof Failure) {
    const { kind, message, more } = error;
    const code = { failed: 1, usage: 2, not_found: 3, conflict: 4, unreachable: 5 } as const;
    return { code: code[kind], line: message, problem: document(kind, message, more) };
  }
  if (error instanceof ProblemError) {
    const { problem, status } = error;
    return { code: exitOf(status), line: `${problem.detail}${faultsOf(problem)}`, problem };
  }
  if (error instanceof Unreachable) {
    const line = `${error.message}. Start the server with "holdfast serve", or name another one with HOLDFAST_URL.`;
    return { code: EXIT.unreachable, line, problem: document("unreachable", line) };
  }
  if (error instanceof CommanderError) {
    const line = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    return { code: EXIT.usage, line, problem: document("usage", line) };
  }
  if (isSystemError(error)) {
    const line = error.message;
    return {
      code: error.code === "ENOENT" ? EXIT.notFound : EXIT.failed,
      line,
      problem: document(error.code, line, error.code === "ENOENT" ? { status: 404 } : {}),
    };
  }
  return undefined;
}

const STATUSES: Record<string, number> = { usage: 400, not_found: 404, conflict: 409, unreachable: 503 };
const TITLES: Record<string, string> = {
  failed: "The command failed",
  usage: "The command was not understood",
  not_found: "There is no such thing",
  conflict: "In conflict with the present state",
  unreachable: "The server is not reachable",
};

function document(code: string, detail: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: `urn:holdfast:problem:${code}`,
    title: TITLES[code] ?? TITLES["failed"],
    status: STATUSES[code] ?? 500,
    detail,
    code,
    ...more,
  };
}

function exitOf(status: number): ExitCode {
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 409) return EXIT.conflict;
  if (status === 400 || status === 422) return EXIT.usage;
  return status >= 502 && status <= 504 ? EXIT.unreachable : EXIT.failed;
}

/** Those that the detail does not name itself. */
function faultsOf({ detail, faults = [] }: ProblemError["problem"]): string {
  const more = faults.filter(({ message }) => !detail.includes(message));
  return more.length > 0 ? ` (${more.map(({ path, message }) => `${path}: ${message}`).join("; ")})` : "";
}

/** A file that is not there, a full disk: expected of a command that touches files. */
function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}
