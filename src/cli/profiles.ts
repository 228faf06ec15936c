import { Command } from "commander";
import type { ProfileInfo } from "../client/commands.ts";
import { answer, type Cli } from "./cli.ts";
import { printTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { visibleLine } from "./visible.ts";

export function profilesCommand(cli: Cli): Command {
  return new Command("profiles")
    .description("The agents that there are, and whether each can work")
    .addHelpText("after", '\nExample:\n  holdfast send new "Why is the build red?" --profile demo')
    .action(async (_: object, command: Command) => {
      const items = await cli.client.profiles();
      answer(cli, command, { items }, () => printProfiles(cli.terminal, items));
    });
}

export function printProfiles(terminal: Terminal, items: readonly ProfileInfo[]): void {
  if (items.length === 0) return terminal.line("No agents work here.");
  printTable<ProfileInfo>(
    terminal,
    [
      { title: "NAME", cell: ({ name }) => visibleLine(name) },
      { title: "DRIVER", cell: ({ driver }) => driver },
      { title: "MODEL", cell: ({ model, demo }) => `${visibleLine(model ?? "–")}${demo ? " (demo)" : ""}` },
      {
        title: "STATE",
        cell: ({ unusable, origin }) => visibleLine(unusable ?? `ready: ${origin}`),
        flexible: true,
        paint: (cell, { unusable }) => terminal.paint(unusable === null ? "green" : "red", cell),
      },
      { title: "SANDBOX", cell: ({ sandboxed, approvals }) => (sandboxed ? "yes" : UNSANDBOXED[approvals]) },
    ],
    items,
  );
}

/** What stands between a command and the machine, where no rule says otherwise. */
const UNSANDBOXED: Record<ProfileInfo["approvals"], string> = {
  ask: "no, asks",
  auto: "no, and never asks",
  deny: "no, denies",
};
