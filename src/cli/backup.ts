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
    .addHelpText("after", '\nExample:\n  holdfast backup "backups/$(date +%F).backup" ')
    .action(async (name: string, _: object, command: Command) => {
      const file = resolve(name);
      await refuseExisting(file);
      await refuseNowhere(dirname(file));
      const written = (await fromServer(cli, file)) ?? (await fromStore(cli, file));
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

/** Undefined when no server is there. */
async function fromServer({ hastyClient }: Cli, file: string): Promise<Written | undefined> {
  let response: Response;
  try {
    response = await hastyClient.backup();
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
  return { bytes: await saveStream(response, file, { force: false }), from: "running server" };
}

async function fromStore({ deps, address }: Cli, file: string): Promise<Written> {
  const copied = await deps.backupStore(file);
  if (copied.ok) return { bytes: copied.bytes, from: "store itself" };
  if (copied.code !== "in_use") throw storeFailure(copied);
  throw new Failure(
    "conflict",
    `${copied.detail} It does not answer at ${address.url}: name its address with HOLDFAST_URL, or stop it.`,
  );
}
