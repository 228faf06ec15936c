import { Command } from "commander";
import { answer, type Cli } from "./cli.ts";
import { clock } from "./words.ts";

export function loginCommand(cli: Cli): Command {
  return new Command("login")
    .description("Print a fresh link that logs a browser in, once")
    .addHelpText("after", "\nOpen it in the browser that is to be logged in. See also: holdfast logins list")
    .action(async (_: object, command: Command) => {
      const link = await cli.client.createLoginLink();
      answer(cli, command, link, ({ url, expiresAt }) => {
        cli.terminal.line(url);
        if (cli.terminal.isInteractive)
          cli.terminal.note(
            cli.terminal.paint("dim", `good for one login, until ${clock(expiresAt, cli.now())}`),
          );
      });
    });
}
