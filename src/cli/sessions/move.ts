import { Command } from "commander";
import { ProblemError } from "../../client/errors.ts";
import { answer, type Cli } from "../cli.ts";
import { findSession } from "../find-session.ts";
import { count } from "../words.ts";

export function moveCommand(cli: Cli): Command {
  return new Command("move")
    .description("Take a session whose host is lost to the host of the server")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .option("--yes", "move it, though commands may still run on the lost host")
    .addHelpText(
      "after",
      `
With several hosts on one database a session works where its workspace is. When that host is gone for good, another takes
over only if you say so, with the delegates that worked for it there. What still ran there counts as unknown: the agent is
told to verify.

Example:
  holdfast sessions move latest --yes`,
    )
    .action(async (name: string, { yes }: { yes?: true }, command: Command) => {
      const { client, terminal } = cli;
      const { id } = await findSession(client, name);
      const moved = await client.moveSession(id, { confirm: yes === true }).catch(inOwnWords);
      const { from, to, lost, delegates, left } = moved;
      const along = delegates.length === 0 ? "" : ` with ${count(delegates.length, "delegate")}`;
      const unknown = lost.length === 0 ? "" : `; ${count(lost.length, "command")} count as unknown`;
      answer(cli, command, moved, () => {
        terminal.line(
          from === to || from === null
            ? `${id} is on "${to}" already`
            : `moved ${id}${along} from "${from}" to "${to}"${unknown}`,
        );
        for (const { session, host } of left)
          terminal.line(`${session}, which works for it, stays on "${host}"`);
      });
    });
}

/** The server tells a program how to confirm it. */
function inOwnWords(error: unknown): never {
  if (!(error instanceof ProblemError) || error.code !== "live") throw error;
  const { detail, ...rest } = error.problem;
  throw new ProblemError({ ...rest, detail: detail.replace("Confirm to move", "Use --yes to move") });
}
