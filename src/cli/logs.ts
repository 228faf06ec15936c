import { Command } from "commander";
import { setTimeout as delay } from "node:timers/promises";
import { isJson, type Cli } from "./cli.ts";
import { findProcess } from "./find-process.ts";
import { visible } from "./visible.ts";

const PAGE_BYTES = 256 * 1024;
const LOOK_AGAIN_MS = 300;

export function logsCommand(cli: Cli): Command {
  return new Command("logs")
    .description("Show what a process has said")
    .argument("<process>", "an id or its beginning, or latest")
    .option("-f, --follow", "go on until it is over; Ctrl-C leaves it to its work")
    .option("--from <byte>", "only what comes after so many bytes", Number, 0)
    .addHelpText("after", "\nExample:\n  holdfast logs latest -f")
    .action(async (name: string, options: { follow?: true; from: number }, command: Command) => {
      const { id } = await findProcess(cli.client, name);
      const left = new AbortController();
      const off = cli.onInterrupt(() => left.abort());
      try {
        await print(cli, id, options, isJson(command), left.signal);
      } finally {
        off();
      }
    });
}

async function print(
  { client, terminal }: Cli,
  process: string,
  { follow, from }: { follow?: true; from: number },
  json: boolean,
  left: AbortSignal,
): Promise<void> {
  let offset = from;
  while (!left.aborted) {
    const output = await client.processOutput(process, { offset, limit: PAGE_BYTES });
    offset = output.next;
    if (!json) terminal.write(visible(output.text));
    else if (output.text !== "" || output.over) terminal.json(output);
    if (output.over || (!follow && output.next >= output.bytes)) return;
    if (output.next >= output.bytes) await delay(LOOK_AGAIN_MS, undefined, { signal: left }).catch(() => {}); // left
  }
}
