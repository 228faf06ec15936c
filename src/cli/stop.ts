import { Command } from "commander";
import { answer, type Cli } from "./cli.ts";
import { findProcess } from "./find-process.ts";
import { findSession } from "./find-session.ts";
import { visibleLine } from "./visible.ts";

export function stopCommand(cli: Cli): Command {
  return new Command("stop")
    .description("Stop the turn that runs in a session, or a process")
    .argument("<what>", "a session by its id or its beginning, a title, or latest; or a process by its id")
    .addHelpText(
      "after",
      `
What a turn has said is kept, and its queue waits until the next send or: holdfast queue release. Leaving a session never
stops it; only this does. Processes in the background go on until they are stopped themselves.

Examples:
  holdfast stop latest
  holdfast stop prc_01k9`,
    )
    .action((name: string, _: object, command: Command) =>
      name.startsWith("prc_") ? stopProcess(cli, command, name) : stopTurn(cli, command, name),
    );
}

async function stopTurn(cli: Cli, command: Command, name: string): Promise<void> {
  const { client, terminal } = cli;
  const { id } = await findSession(client, name);
  const stopped = await client.stop(id);
  answer(cli, command, { session: id, ...stopped }, () =>
    terminal.line(stopped.stopped ? `stopping ${id}` : `nothing runs in ${id}`),
  );
}

async function stopProcess(cli: Cli, command: Command, name: string): Promise<void> {
  const { client, terminal } = cli;
  const process = await findProcess(client, name);
  const request = await client.stopProcess(process.id);
  answer(cli, command, request, () =>
    terminal.line(`stopping ${process.id}: ${visibleLine(process.command)}`),
  );
}
