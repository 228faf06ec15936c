import { Command } from "commander";
import { answer, type Cli } from "../cli.ts";
import { Failure } from "../exit.ts";
import { findSession } from "../find-session.ts";
import { isPosition } from "../../session/position.ts";

export function forkCommand(cli: Cli): Command {
  return new Command("fork")
    .description("Make a session of its own from another's history")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .option("--at <position>", "up to here, moved back to the end of a step; else all of it")
    .addHelpText(
      "after",
      "\nExample:\n  holdfast sessions fork latest --at 0000000000000012_0000000000000000",
    )
    .action(async (name: string, { at }: { at?: string }, command: Command) => {
      if (at !== undefined && !isPosition(at))
        throw new Failure("usage", `--at is "${at}"; it must be a position: 16 digits, _, 16 digits`);
      const { client, terminal } = cli;
      const { id } = await findSession(client, name);
      const fork = await client.forkSession(id, at === undefined ? {} : { at });
      answer(cli, command, fork, () => terminal.line(fork.id));
    });
}
