// The small changes to a session: rename, pin, unpin, archive, unarchive.
import { Command } from "commander";
import type { SessionPatch } from "../../client/commands.ts";
import { answer, type Cli } from "../cli.ts";
import { findSession } from "../find-session.ts";
import { visibleLine } from "../visible.ts";

export function renameCommand(cli: Cli): Command {
  return named("rename", "Give a session another title")
    .argument("<title...>")
    .addHelpText("after", "\nExample:\n  holdfast sessions rename latest Fix the build")
    .action((name: string, words: string[], _: object, command: Command) => {
      const title = words.join(" ");
      return patch(cli, command, name, { title }, `is now called "${visibleLine(title)}"`);
    });
}

const ARRANGEMENTS = [
  ["pin", "Keep a session at the top of the list", { pinned: true }, "is pinned"],
  ["unpin", "Let a session find its own place in the list", { pinned: false }, "is no longer pinned"],
  ["archive", "Put a session out of sight; nothing of it is lost", { archived: true }, "is archived"],
  ["unarchive", "Bring an archived session back", { archived: false }, "is back"],
] as const;

export function arrangementCommands(cli: Cli): Command[] {
  return ARRANGEMENTS.map(([verb, description, change, done]) =>
    named(verb, description).action((name: string, _: object, command: Command) =>
      patch(cli, command, name, change, done),
    ),
  );
}

function named(verb: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument("<session>", "an id or its beginning, a title, or latest");
}

async function patch(
  cli: Cli,
  command: Command,
  name: string,
  change: SessionPatch,
  done: string,
): Promise<void> {
  const { id } = await findSession(cli.client, name);
  const row = await cli.client.patchSession(id, change);
  answer(cli, command, row, () => cli.terminal.line(`${id} ${done}`));
}
