// What the trail tells of: what persons and their programs did that lets something happen, ends it or lets somebody in.
import type { By } from "./event.ts";

export const DEEDS = [
  "ask_answered",
  "stop_requested",
  "session_deleted",
  "rule_made",
  "rule_removed",
  "token_made",
  "token_revoked",
  "login_link_made",
  "login_made",
  "login_revoked",
  "process_input_sent",
  "process_stop_requested",
] as const;
export type DeedName = (typeof DEEDS)[number];

export type Deed = {
  id: string;
  deed: DeedName;
  by: By;
  /** The token or login that it was done with; null where only the person is known. */
  credential: string | null;
  /** What it was done to, by id: never what was said, and no secret. */
  what: Record<string, string | boolean>;
};
