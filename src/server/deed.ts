// Who did what, where no fact of a session says it: a line in the server's log. What a person says in a session, answers or
// stops is a fact there, with its author.
import type { FastifyRequest } from "fastify";
import { authorOf } from "./access.ts";

export type Deed =
  | "session_deleted"
  | "rule_removed"
  | "token_made"
  | "token_revoked"
  | "login_link_made"
  | "login_revoked"
  | "process_input_sent"
  | "process_stop_requested";

export function noteDeed(
  { caller, log }: FastifyRequest,
  deed: Deed,
  what: Record<string, string | boolean>,
): void {
  log.info({ deed, ...what, by: authorOf(caller), credential: caller.id }, "a person's deed");
}
