import { Command } from "commander";
import type { DeedInfo } from "../client/commands.ts";
import { answer, wholeNumber, type Cli } from "./cli.ts";
import { printTable } from "./table.ts";
import { nameOf } from "./transcript/message-words.ts";
import { visibleLine } from "./visible.ts";
import { clock } from "./words.ts";

type Options = { limit: number; after?: string };

export function auditCommand(cli: Cli): Command {
  return new Command("audit")
    .description("Who answered, stopped, deleted, let in or changed what is allowed, newest first")
    .option("--limit <n>", "how many", wholeNumber("--limit", 1, 200), 50)
    .option("--after <next>", 'the page after another: its "next"')
    .action(async (options: Options, command: Command) => {
      const list = await cli.client.audit(options);
      answer(cli, command, list, ({ items, next }) => {
        if (items.length === 0) return cli.terminal.line("Nobody has done anything that is noted.");
        print(cli, items);
        if (next !== null) cli.terminal.line(cli.terminal.paint("dim", `more with: --after ${next}`));
      });
    });
}

function print({ terminal, now }: Cli, items: readonly DeedInfo[]): void {
  printTable<DeedInfo>(
    terminal,
    [
      { title: "WHEN", cell: ({ at }) => clock(at, now()) },
      { title: "WHO", cell: ({ by }) => who(by) },
      { title: "WHAT", cell: ({ deed }) => deed.replaceAll("_", " ") },
      { title: "TARGET", cell: ({ what }) => target(what), flexible: true },
    ],
    items,
  );
}

function who(by: DeedInfo["by"]): string {
  const device = "person" in by ? by.device : undefined;
  return device === undefined ? nameOf(by) : `${nameOf(by)} (${visibleLine(device)})`;
}

/** `session ses_1, force`: what is not so goes without saying. */
function target(what: DeedInfo["what"]): string {
  return Object.entries(what)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => (value === true ? name : `${name} ${visibleLine(String(value))}`))
    .join(", ");
}
