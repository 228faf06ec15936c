import { Command } from "commander";
import type { Cli } from "../cli.ts";
import { exportCommand } from "./export.ts";
import { forkCommand } from "./fork.ts";
import { importCommand } from "./import.ts";
import { goBackCommands } from "./go-back.ts";
import { listCommand } from "./list.ts";
import { arrangementCommands, renameCommand } from "./patch.ts";
import { moveCommand } from "./move.ts";
import { retryCommand } from "./retry.ts";
import { rmCommand } from "./rm.ts";
import { searchCommand } from "./search.ts";
import { showCommand } from "./show.ts";

export function sessionsCommand(cli: Cli): Command {
  const sessions = new Command("sessions").description(
    "List, show, search, fork, retry, go back in, export, import and arrange sessions",
  );
  const commands = [
    listCommand(cli),
    showCommand(cli),
    searchCommand(cli),
    forkCommand(cli),
    retryCommand(cli),
    ...goBackCommands(cli),
    exportCommand(cli),
    importCommand(cli),
    renameCommand(cli),
    ...arrangementCommands(cli),
    moveCommand(cli),
    rmCommand(cli),
  ];
  for (const command of commands) sessions.addCommand(command);
  return sessions;
}
