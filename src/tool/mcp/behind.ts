// Which program or address is behind a server's name: what was approved for one is not approved for another that the
// configuration gives the name to.
import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { McpConfig } from "../../config/schema.ts";
import { shownAddress, shownCommand } from "../../secret/shown-words.ts";
import { preview } from "../../session/parts.ts";
import type { Server } from "../tool.ts";

const SHOWN_MAX_CHARS = 1_000;
const DIGEST_BYTES = 32;

export async function behind({ command, url = "" }: Pick<McpConfig, "command" | "url">): Promise<Server> {
  // Of the whole, in which a token may be, and kept for good: so slowly that it is not found out by trying.
  const digest = await slowDigest(JSON.stringify(command ?? url), "holdfast mcp server", DIGEST_BYTES);
  const shown = command ? shownCommand(command) : shownAddress(url);
  return { shown: preview(shown, SHOWN_MAX_CHARS), digest: digest.toString("hex") };
}

const slowDigest = promisify<string, string, number, Buffer>(scrypt);
