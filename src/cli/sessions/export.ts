import { Command, Option } from "commander";
import { Unreachable } from "../../client/errors.ts";
import { answer, isJson, type Cli } from "../cli.ts";
import { findSession } from "../find-session.ts";
import { Failure } from "../exit.ts";
import { chunksOf, CutOff, refuseExisting, saveStream } from "../save-stream.ts";
import { visible } from "../visible.ts";
import { bytes } from "../words.ts";

type Options = { format: "md" | "jsonl"; output?: string; force?: true };

export function exportCommand(cli: Cli): Command {
  return new Command("export")
    .description("Write a whole session as Markdown, or as its events in JSON lines")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .addOption(new Option("--format <format>", "what to write").choices(["md", "jsonl"]).default("md"))
    .option("-o, --output <file>", "write to this file instead of stdout")
    .option("--force", "replace the file if it is there")
    .addHelpText(
      "after",
      "\nExamples:\n  holdfast sessions export latest -o notes.md\n  holdfast sessions export ses_01k9 --format jsonl | wc -l",
    )
    .action(async (name: string, { format, output, force }: Options, command: Command) => {
      const { client, terminal } = cli;
      const { id } = await findSession(client, name);
      if (output !== undefined && !force) await refuseExisting(output, "replace it with --force");
      const response = await client.exportSession(
        id,
        isJson(command) && output === undefined ? "jsonl" : format,
      );
      if (output === undefined) return print(cli, id, response);
      const saved = await saveStream(response, output, { force: force === true, keepsPart: true }).catch(
        (error: unknown) => {
          throw error instanceof CutOff
            ? cutOff(id, `the first ${bytes(error.written)} are in ${output}`)
            : error;
        },
      );
      answer(cli, command, { session: id, file: output, bytes: saved }, () =>
        terminal.line(`wrote ${bytes(saved)} to ${output}`),
      );
    });
}

/** What others wrote must not steer a terminal; a pipe gets it as it is. */
async function print({ terminal }: Cli, id: string, response: Response): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of chunksOf(response)) {
      const text = decoder.decode(chunk, { stream: true });
      terminal.write(terminal.isInteractive ? visible(text) : text);
      await terminal.backlog();
    }
  } catch (error) {
    throw error instanceof Unreachable ? cutOff(id, "what came was written") : error;
  }
}

function cutOff(id: string, kept: string): Failure {
  return new Failure(
    "failed",
    `The export of ${id} was cut off: ${kept}. Either the server went away, or the log is damaged: "holdfast doctor" tells.`,
  );
}
