import { Command } from "commander";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Unreachable } from "../client/errors.ts";
import { answer, type Cli } from "./cli.ts";
import { Failure, storeFailure } from "./exit.ts";
import { refuseExisting, saveStream } from "./save-stream.ts";
import { bytes } from "./words.ts";

export function backupCommand(cli: Cli): Command {
  return new Command("backup")
    .description("Copy the whole store into one file, also while the server runs")
    .argument("<file>", "where to; it must not be there yet")
    .addHelpText(
      "after",
      `
It is the store in HOLDFAST_HOME that is copied, through its server if one runs; with HOLDFAST_URL it is that server's.

Example:
  holdfast backup "backups/$(date +%F).backup"`,
    )
    .action(async (name: string, _: object, command: Command) => {
      const file = resolve(name);
      await refuseExisting(file);
      await refuseNowhere(dirname(file));
      const written = await copyInto(cli, file);
      answer(cli, command, { file, ...written }, ({ bytes: size, from }) =>
        cli.terminal.line(`wrote ${bytes(size)} to ${file}, from the ${from}`),
      );
    });
}

async function refuseNowhere(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (!found?.isDirectory())
    throw new Failure("failed", `There is no directory ${folder}: make it first, or name another file.`);
}

type Written = { bytes: number; from: "running server" | "store itself" };

/**
 * Whoever names a server means that one. Else it is the store of this home, and nothing in its place: opened directly when
 * it is free, through the server that holds it when not.
 */
async function copyInto(cli: Cli, file: string): Promise<Written> {
  if (cli.address.urlOrigin === "HOLDFAST_URL") return fromServer(cli, file);
  const copied = await cli.deps.backupStore(file);
  if (copied.ok) return { bytes: copied.bytes, from: "store itself" };
  if (copied.code !== "in_use") throw storeFailure(copied);
  await refuseAnother(cli, copied.detail);
  return fromServer(cli, file);
}

async function fromServer({ hastyClient }: Cli, file: string): Promise<Written> {
  const response = await hastyClient.backup();
  return { bytes: await saveStream(response, file, { force: false }), from: "running server" };
}

/** What listens where this home's server was, or would be, can be the server of another home that knows the same token. */
async function refuseAnother({ address, hastyClient }: Cli, held: string): Promise<void> {
  const refused = (why: string) =>
    new Failure("conflict", `${held} ${why}: name its address with HOLDFAST_URL, or stop it.`);
  if (address.store === undefined) throw refused("It did not write down where it is reached");
  const { store } = await hastyClient.overview().catch((error: unknown) => {
    throw error instanceof Unreachable ? refused(`It does not answer at ${address.url}`) : error;
  });
  if (store !== address.store)
    throw refused(`The server at ${address.url} is not that one, since it has another store`);
}
