import { Command, Option } from "commander";
import type { SessionFilter, SessionRow } from "../../client/commands.ts";
import { answer, wholeNumber, type Cli } from "../cli.ts";
import { printTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { visibleLine } from "../visible.ts";
import { ago, clock } from "../words.ts";

type Options = {
  status?: NonNullable<SessionFilter["status"]>;
  profile?: string;
  lane?: string;
  title?: string;
  archived?: true;
  limit: number;
  after?: string;
};

export function listCommand(cli: Cli): Command {
  return new Command("list")
    .description("List sessions, newest first")
    .addOption(
      new Option("--status <status>", "only those that are so").choices([
        "idle",
        "queued",
        "running",
        "waiting",
        "recovering",
        "ended",
      ]),
    )
    .option("--profile <profile>", "only those of this agent")
    .option("--lane <lane>", "only those of this lane")
    .option("--title <words>", "only those with these words in their title")
    .option("--archived", "those that were archived, instead of the others")
    .option("--limit <n>", "how many", wholeNumber("--limit", 1, 200), 50)
    .option("--after <next>", 'the page after another: its "next"')
    .addHelpText(
      "after",
      `
Examples:
  holdfast sessions list --status running
  holdfast sessions list --json | jq -r '.items[].id'`,
    )
    .action(async (options: Options, command: Command) => {
      const { title, archived, ...filter } = options;
      const list = await cli.client.sessions({
        ...filter,
        archived: archived === true,
        ...(title !== undefined && { q: title }),
      });
      answer(cli, command, list, ({ items, next }) => {
        if (items.length === 0)
          return cli.terminal.line('No sessions. Begin one with: holdfast send new "…"');
        printSessions(cli.terminal, items, cli.now());
        if (next !== null) cli.terminal.line(cli.terminal.paint("dim", `more with: --after ${next}`));
      });
    });
}

export function printSessions(terminal: Terminal, rows: readonly SessionRow[], now: number): void {
  printTable<SessionRow>(
    terminal,
    [
      { title: "ID", cell: ({ id }) => id },
      {
        title: "TITLE",
        cell: ({ title, pinned }) => `${pinned ? "★ " : ""}${visibleLine(title ?? "") || "–"}`,
        flexible: true,
        paint: (cell, { unread }) => (unread > 0 ? terminal.paint("bold", cell) : cell),
      },
      {
        title: "STATUS",
        cell: (row) => statusWords(row, now),
        paint: (cell, row) => paintStatus(terminal, cell, row),
      },
      { title: "UNREAD", cell: ({ unread }) => (unread > 0 ? String(unread) : ""), align: "right" },
      { title: "UPDATED", cell: ({ updatedAt }) => ago(updatedAt, now), align: "right" },
    ],
    rows,
  );
}

export function statusWords({ status, attention, retryAt }: SessionRow, now: number): string {
  if (attention === null) return retryAt === null ? status : `${status}: retrying at ${clock(retryAt, now)}`;
  return attention.count > 1
    ? `${status}: ${attention.count} ${attention.kind}s`
    : `${status}: ${attention.kind}`;
}

function paintStatus(terminal: Terminal, cell: string, { status, attention }: SessionRow): string {
  if (attention?.kind === "failed") return terminal.paint("red", cell);
  if (attention !== null) return terminal.paint("yellow", cell);
  if (status === "running" || status === "recovering") return terminal.paint("green", cell);
  return status === "idle" || status === "ended" ? terminal.paint("dim", cell) : cell;
}
