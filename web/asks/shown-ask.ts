// An ask as its card takes it: the same from a session's view, the list of all that wait, and by itself.
import { choicesOf } from "../../src/session/answer.ts";
import type { Ask } from "../../src/protocol/http.ts";
import type { OpenAsk } from "../../src/session/view.ts";

export type ShownAsk = Pick<
  Ask,
  | "id"
  | "session"
  | "kind"
  | "title"
  | "call"
  | "command"
  | "cwd"
  | "details"
  | "digest"
  | "multiple"
  | "openedAt"
> & { choices: readonly { id: string; label: string }[] };

export function askOfView(session: string, open: OpenAsk): ShownAsk {
  const { ask, kind, title, call, command, cwd, details, digest, multiple, openedAt } = open;
  return {
    id: ask,
    session,
    kind,
    title,
    call: call ?? null,
    command: command ?? null,
    cwd: cwd ?? null,
    ...(details && { details }),
    digest: digest ?? null,
    multiple: multiple ?? false,
    openedAt,
    choices: choicesOf(open),
  };
}
