import { Command } from "commander";
import { resolve } from "node:path";
import { answer, type Cli } from "./cli.ts";
import { Failure, storeFailure } from "./exit.ts";

export function restoreCommand(cli: Cli): Command {
  return new Command("restore")
    .description("Put a backup in place of the store in HOLDFAST_HOME, while no server runs on it")
    .argument("<file>", "what holdfast backup wrote")
    .addHelpText(
      "after",
      "\nThe store that was there is kept beside it. Example:\n  HOLDFAST_HOME=/tmp/look holdfast restore monday.backup",
    )
    .action(async (file: string, _: object, command: Command) => {
      const read = cli.deps.settings();
      if (!read.ok) throw new Failure("usage", read.faults);
      const restored = await cli.deps.restoreStore(resolve(file));
      if (!restored.ok) throw storeFailure(restored);
      const { store, kept } = restored;
      answer(cli, command, { store, kept }, () => {
        cli.terminal.line(`restored ${store}`);
        if (kept !== null) cli.terminal.line(`what was there before is in ${kept}`);
        cli.terminal.line(
          "browsers have to log in anew; once the server runs, a link comes from: holdfast login",
        );
      });
    });
}
