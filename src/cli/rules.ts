import { Command } from "commander";
import type { RuleInfo } from "../client/commands.ts";
import { answer, type Cli } from "./cli.ts";
import { findById } from "./find-by-id.ts";
import { printTable } from "./table.ts";
import { visibleLine } from "./visible.ts";
import { ago } from "./words.ts";

export function rulesCommand(cli: Cli): Command {
  const rules = new Command("rules").description("What was allowed for good, by answering always");
  rules.addCommand(
    new Command("list").description("List it").action(async (_: object, command: Command) => {
      const items = await cli.client.rules();
      answer(cli, command, { items }, () => print(cli, items));
    }),
  );
  rules.addCommand(
    new Command("rm")
      .description("Take a rule back: what it allowed is asked for again")
      .argument("<rule>", "an id or a unique beginning of it, or latest")
      .action(async (name: string, _: object, command: Command) => {
        const { id } = findById(await cli.client.rules(), name, "rule");
        await cli.client.removeRule(id);
        answer(cli, command, { removed: id }, () => cli.terminal.line(`removed ${id}`));
      }),
  );
  return rules;
}

function print({ terminal, now }: Cli, items: readonly RuleInfo[]): void {
  if (items.length === 0) return terminal.line("Nothing was allowed for good.");
  printTable<RuleInfo>(
    terminal,
    [
      { title: "ID", cell: ({ id }) => id },
      { title: "PROFILE", cell: ({ profile }) => visibleLine(profile) },
      { title: "RULE", cell: ({ decision, tool }) => `${decision} ${visibleLine(tool)}` },
      // What was shown when it was made says more than the digest that it matches by.
      { title: "FOR", cell: ({ shown, match }) => visibleLine(shown ?? match), flexible: true },
      { title: "MADE", cell: ({ createdAt }) => ago(createdAt, now()), align: "right" },
    ],
    items,
  );
}
