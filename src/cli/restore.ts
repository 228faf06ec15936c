import { Command } from "commander";
import { resolve } from "node:path";
import { answer, type Cli } from "./cli.ts";
import type { Granted } from "./deps.ts";
import { Failure, storeFailure } from "./exit.ts";
import { count } from "./words.ts";

export function restoreCommand(cli: Cli): Command {
  return new Command("restore")
    .description("Put a backup in place of the store in HOLDFAST_HOME, while no server runs on it")
    .argument("[file]", "what holdfast backup wrote")
    .option("--renew", "in place of a file: the store was brought back otherwise, as by pg_restore")
    .addHelpText(
      "after",
      `
The store that was there is kept beside it. With --renew nothing is put in its place: the store there, or the database at
HOLDFAST_DATABASE_URL, gets a new id, so that no client takes a position of the time that was given up for one of this.
Examples:
  HOLDFAST_HOME=/tmp/look holdfast restore monday.backup
  pg_restore --clean --if-exists -d "$HOLDFAST_DATABASE_URL" monday.dump && holdfast restore --renew`,
    )
    .action(async (file: string | undefined, { renew }: { renew?: true }, command: Command) => {
      if ((file === undefined) === (renew === undefined))
        throw new Failure("usage", "Name what holdfast backup wrote, or give --renew: one of the two.");
      const read = cli.deps.settings();
      if (!read.ok) throw new Failure("usage", read.faults);
      await (file === undefined ? renewed(cli, command) : restored(cli, command, file));
    });
}

async function restored(cli: Cli, command: Command, file: string): Promise<void> {
  const done = await cli.deps.restoreStore(resolve(file));
  if (!done.ok) throw storeFailure(done);
  const { store, kept, tokens, rules } = done;
  answer(cli, command, { store, kept, tokens, rules }, () => {
    cli.terminal.line(`restored ${store}`);
    if (kept !== null) cli.terminal.line(`what was there before is in ${kept}`);
    tellGranted(cli, tokens, "token", LOOK_AT_TOKENS);
    tellGranted(cli, rules, "rule", LOOK_AT_RULES);
    cli.terminal.line(LOG_IN_ANEW);
  });
}

function tellGranted({ terminal }: Cli, { revoked, valid }: Granted, what: string, look: string): void {
  if (revoked !== null && revoked > 0)
    terminal.line(
      `left out ${count(revoked, what)} that the store before did not have: revoked there, or newer than it`,
    );
  if (revoked === null && valid > 0)
    terminal.line(
      `${count(valid, what)} of the backup ${valid === 1 ? "is" : "are"} valid here, revoked since or not: ${look}`,
    );
}

async function renewed(cli: Cli, command: Command): Promise<void> {
  const done = await cli.deps.renewStore();
  if (!done.ok) throw storeFailure(done);
  const { was, is, running } = done;
  answer(cli, command, { was, is, running }, () => {
    cli.terminal.line(`this store was ${was} and is ${is} from now on`);
    if (running > 0)
      cli.terminal.line(
        `${count(running, "process", "processes")} ran by it: those that the home they began in knows nothing of are lost, as its next start tells`,
      );
    cli.terminal.line(
      `tokens and rules are valid as they were then, revoked since or not: ${LOOK_AT_TOKENS} and holdfast rules list`,
    );
    cli.terminal.line(LOG_IN_ANEW);
  });
}

const LOOK_AT_TOKENS = "once the server runs, look through them with holdfast token list";
const LOOK_AT_RULES = "once the server runs, look through them with holdfast rules list";
const LOG_IN_ANEW = "browsers have to log in anew; once the server runs, a link comes from: holdfast login";
