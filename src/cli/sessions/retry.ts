import { Command } from "commander";
import { answer, type Cli } from "../cli.ts";
import { findSession } from "../find-session.ts";

export function retryCommand(cli: Cli): Command {
  return new Command("retry")
    .description("Go on with the last turn, which failed, from its last completed step")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .addHelpText(
      "after",
      "\nNothing that was done is done again. To have a turn anew from its beginning: holdfast sessions regenerate",
    )
    .action(async (name: string, _: object, command: Command) => {
      const { id } = await findSession(cli.client, name);
      answer(cli, command, await cli.client.retry(id), () => cli.terminal.line(`trying again in ${id}`));
    });
}
