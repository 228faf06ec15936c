import { Command } from "commander";
import type { Process } from "../client/commands.ts";
import { answer, wholeNumber, type Cli } from "./cli.ts";
import { findSession } from "./find-session.ts";
import { printTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { visibleLine } from "./visible.ts";
import { duration } from "./words.ts";

type Options = { session?: string; all?: true; limit: number };

export function psCommand(cli: Cli): Command {
  return new Command("ps")
    .description("List the processes that sessions have started and that run")
    .option("--session <session>", "only its own, and those of whoever works for it")
    .option("--all", "those that are over too")
    .option("--limit <n>", "how many", wholeNumber("--limit", 1, 200), 50)
    .addHelpText(
      "after",
      `
Examples:
  holdfast ps
  holdfast logs latest -f
  holdfast ps --all --json | jq '.items[] | {id, status, exit}'`,
    )
    .action(async ({ session, all, limit }: Options, command: Command) => {
      const { client, terminal } = cli;
      const of = session === undefined ? undefined : (await findSession(client, session)).id;
      const list = await client.processes({
        limit,
        ...(of !== undefined && { session: of }),
        ...(all && { all: true }),
      });
      answer(cli, command, list, ({ items }) => {
        if (items.length === 0) return terminal.line(all ? "No processes yet." : "Nothing runs.");
        printProcesses(terminal, items);
      });
    });
}

export function printProcesses(terminal: Terminal, items: readonly Process[]): void {
  printTable(
    terminal,
    [
      { title: "ID", cell: ({ id }) => id },
      { title: "STATE", cell: stateOf, paint: (cell, { status }) => paint(terminal, cell, status) },
      { title: "AGE", cell: ({ ageSeconds }) => duration(ageSeconds * 1000), align: "right" },
      { title: "PID", cell: ({ pid }) => (pid === null ? "" : String(pid)), align: "right" },
      { title: "PORTS", cell: ({ ports }) => ports.join(", ") },
      { title: "COMMAND", cell: ({ command }) => visibleLine(command), flexible: true },
    ],
    items,
  );
}

function stateOf({ status, class: how, exit, background }: Process): string {
  if (status === "running") return `${how ?? "running"}${background ? "" : " (a turn waits)"}`;
  return exit === null ? status : `${status} ${exit}`;
}

function paint(terminal: Terminal, cell: string, status: Process["status"]): string {
  if (status === "running") return terminal.paint("green", cell);
  return status === "lost" ? terminal.paint("red", cell) : cell;
}
