import { Command } from "commander";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { NewSession } from "../../client/commands.ts";
import { answer, type Cli } from "../cli.ts";
import { Failure } from "../exit.ts";
import { findSession } from "../find-session.ts";
import { visible } from "../visible.ts";
import { converse } from "./interactive.ts";
import { replyTo } from "./piped.ts";

type Options = { continue?: true; profile?: string; workspace?: string; title?: string };

export function chatCommand(cli: Cli): Command {
  return new Command("chat")
    .description("Talk with an agent here, in a new session or one that is there")
    .argument("[session]", "an id or its beginning, a title, or latest; without it a new one is begun")
    .option("--continue", "the session that was last worked in")
    .option("--profile <profile>", "the agent of a new session")
    .option("--workspace <directory>", "where a new session works")
    .option("--title <title>", "of a new session")
    .addHelpText(
      "after",
      `
What is typed while a turn runs is queued, or steers it: Tab chooses. Asks are answered in place, by number or in words.
Ctrl-C clears the line, or stops the turn, and once more leaves; Ctrl-D leaves. The session goes on without you, and a
restart of the server is waited out. /help lists what else can be done.

In a pipe it sends all of stdin as one input, prints what the agent says at the end of its turn, and ends with 0 if the
turn was completed.

Examples:
  holdfast chat
  holdfast chat --continue
  git diff | holdfast chat --profile reviewer > review.md`,
    )
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const session = await sessionFor(cli, name, options);
      const given = newSession(options);
      if (session !== undefined && Object.keys(given).length > 0)
        throw new Failure("usage", `--${Object.keys(given)[0]} is for a new session`);
      if (cli.stdin.isTTY && cli.terminal.isInteractive) {
        await cli.client.me(); // who can't be let in should know before typing
        return converse(cli, { session, options: given });
      }
      const text = await readAll(cli.stdin);
      if (text.trim() === "") throw new Failure("usage", "there is nothing to send: stdin is empty");
      const reply = await replyTo(cli, session, given, text);
      answer(cli, command, reply, () => {
        const said = cli.terminal.isInteractive ? visible(reply.text) : reply.text;
        if (said !== "") cli.terminal.line(said);
      });
      if (reply.outcome !== "completed")
        throw new Failure(
          "failed",
          `the turn ${reply.outcome}${reply.error === null ? "" : `: ${reply.error}`}`,
        );
    });
}

async function sessionFor({ client }: Cli, name: string | undefined, options: Options) {
  if (options.continue && name !== undefined)
    throw new Failure("usage", "--continue means the latest session: name one or continue, not both");
  const wanted = options.continue ? "latest" : name;
  if (wanted === undefined) return undefined;
  const { id } = await findSession(client, wanted);
  return (await client.session(id)).head; // an old link leads to where the session goes on
}

function newSession({ profile, workspace, title }: Options): Omit<NewSession, "input"> {
  return {
    ...(profile !== undefined && { profile }),
    ...(workspace !== undefined && { workspace: resolve(workspace) }),
    ...(title !== undefined && { title }),
  };
}
