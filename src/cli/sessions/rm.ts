import { Command } from "commander";
import { ProblemError } from "../../client/errors.ts";
import { answer, type Cli } from "../cli.ts";
import { findSession } from "../find-session.ts";

export function rmCommand(cli: Cli): Command {
  return new Command("rm")
    .description("Delete a session and its log for good")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .option("--force", "also while work is live in it")
    .addHelpText("after", "\nTo only put it out of sight: holdfast sessions archive <session>")
    .action(async (name: string, { force }: { force?: true }, command: Command) => {
      const { client, terminal } = cli;
      const { id } = await findSession(client, name);
      await client.deleteSession(id, { force: force === true }).catch(inOwnWords);
      answer(cli, command, { deleted: id }, () => terminal.line(`deleted ${id}`));
    });
}

/** The server tells a program how to force it. */
function inOwnWords(error: unknown): never {
  if (!(error instanceof ProblemError) || error.code !== "live") throw error;
  const { detail, ...rest } = error.problem;
  throw new ProblemError({ ...rest, detail: detail.replace("?force=true", "--force") });
}
