// What slash commands work with in the page, and what comes of them.
import type { Client } from "../../src/client/commands.ts";
import type { View } from "../../src/session/view.ts";
import type { Outbox } from "../state/outbox.ts";
import type { SessionList } from "../state/session-list.ts";

/** What a command has to say, shown above the composer. */
export type Told = { title: string; lines: readonly { text: string; note?: string; href?: string }[] };

export type SlashDesk = {
  client: Client;
  list: SessionList;
  outbox: Outbox;
  /** Undefined where a session is yet to begin. */
  session: string | undefined;
  view: View | null;
};

/** Why a command could not be carried out, in words for the person who typed it. */
export class SlashFault extends Error {
  override readonly name = "SlashFault";
}
