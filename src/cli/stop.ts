import { Command } from "commander";
import { answer, type Cli } from "./cli.ts";
import { findSession } from "./find-session.ts";

export function stopCommand(cli: Cli): Command {
  return new Command("stop")
    .description("Stop the turn that runs in a session; what it has said is kept, and the queue waits")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .addHelpText(
      "after",
      `
Leaving a session never stops it; only this does. What was queued goes on with the next send, or with: holdfast queue release

Example:
  holdfast stop latest`,
    )
    .action(async (name: string, _: object, command: Command) => {
      const { client, terminal } = cli;
      const { id } = await findSession(client, name);
      const stopped = await client.stop(id);
      answer(cli, command, { session: id, ...stopped }, () =>
        terminal.line(stopped.stopped ? `stopping ${id}` : `nothing runs in ${id}`),
      );
    });
}
