import { Command } from "commander";
import { createWriteStream, openAsBlob } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { answer, type Cli } from "../cli.ts";
import { Failure } from "../exit.ts";

export function importCommand(cli: Cli): Command {
  return new Command("import")
    .description("Make a session of your own from an export in JSON lines")
    .argument("<file>", "an export; - reads it from stdin")
    .option("--partial", "take what is there of one that was cut off, or is of an older version")
    .option("--workspace <directory>", "where it is to work from now on, else where its profile does")
    .addHelpText(
      "after",
      "\nIt is at rest: nothing of it runs before you send it something." +
        "\n\nExamples:\n  holdfast sessions import ses_01k9.jsonl\n  holdfast sessions export latest --format jsonl | HOLDFAST_URL=https://other holdfast sessions import -",
    )
    .action(async (file: string, options: { partial?: true; workspace?: string }, command: Command) => {
      const { client, terminal, stdin } = cli;
      const partial = options.partial === true;
      const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
      const send = async (path: string) => client.importSession(await asBlob(path), { partial, workspace });
      const session = file === "-" ? await fromStream(stdin, send) : await send(file);
      answer(cli, command, session, () => terminal.line(session.id));
    });
}

/** By way of a file: what is sent may have to be sent again, and need not fit into memory. */
async function fromStream<T>(stream: NodeJS.ReadableStream, send: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-import-"));
  try {
    const path = join(folder, "export.jsonl");
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
    return await send(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Node says of a file that is not there only that it can't be opened. */
async function asBlob(path: string): Promise<Blob> {
  return openAsBlob(path).catch((error: unknown) => {
    throw new Failure("not_found", `${path} can't be read: ${(error as Error).message}`);
  });
}
