import { Command, Option } from "commander";
import type { UsageFilter, UsageItem, UsageReport } from "../client/commands.ts";
import { answer, wholeNumber, type Cli } from "./cli.ts";
import { Failure } from "./exit.ts";
import { findSession } from "./find-session.ts";
import { printTable, type Column } from "./table.ts";
import { money } from "./transcript/message-words.ts";
import { visibleLine } from "./visible.ts";
import { count } from "./words.ts";

const DAY_MS = 86_400_000;
const BREAKDOWNS = ["day", "model", "profile", "session"] as const;

type Options = Pick<UsageFilter, "by" | "since" | "until" | "session" | "profile" | "model" | "after"> & {
  limit: number;
};

export function usageCommand(cli: Cli): Command {
  const day = dayAt(cli.now);
  return new Command("usage")
    .description("What models used: tokens, and what they cost where a price is known")
    .addOption(new Option("--by <what>", "broken down by").choices(BREAKDOWNS).default("day"))
    .option("--since <day>", "from this day on: 2026-07-01, or 7d for the last seven days", day("--since"))
    .option("--until <day>", "up to and with this day", day("--until"))
    .option("--session <session>", "only its own, and that of whoever works for it")
    .option("--profile <profile>", "only of this profile")
    .option("--model <provider/model>", "only of this model")
    .option("--limit <n>", "how many rows", wholeNumber("--limit", 1, 200), 50)
    .option("--after <next>", 'the page after another: its "next"')
    .addHelpText(
      "after",
      `
Days are those of UTC. A deleted session's use still counts; an imported one's was counted where it was used.

Examples:
  holdfast usage --since 7d
  holdfast usage --by model --since 2026-07-01
  holdfast usage --by session --json | jq '.items[0]'`,
    )
    .action(async ({ session, ...options }: Options, command: Command) => {
      const of = session === undefined ? undefined : await sessionNamed(cli, session);
      const report = await cli.client.usage({ ...options, ...(of !== undefined && { session: of }) });
      answer(cli, command, report, () => print(cli, report));
    });
}

/** One that was deleted is in no list, but what it used is known by its id. */
async function sessionNamed({ client }: Cli, name: string): Promise<string> {
  try {
    return (await findSession(client, name)).id;
  } catch (error) {
    if (error instanceof Failure && error.kind === "not_found" && name.startsWith("ses_")) return name;
    throw error;
  }
}

function print({ terminal }: Cli, { by, total, items, next, uncounted }: UsageReport): void {
  const dim = (text: string) => terminal.line(terminal.paint("dim", text));
  if (total.steps === 0) terminal.line("Nothing was used.");
  else printTable(terminal, columnsBy(by), [...items, { ...total, isTotal: true }]);
  if (next !== null) dim(`more with: --after ${next}`);
  if (total.unpricedTokens > 0)
    dim(
      `${count(total.unpricedTokens, "token")} in no cost: their models have no price in [prices] of config.toml`,
    );
  if (uncounted > 0) dim(`${count(uncounted, "older session")} are still being counted`);
}

type Row = UsageItem & { isTotal?: true };

function columnsBy(by: UsageReport["by"]): Column<Row>[] {
  const number = (title: string, of: (row: Row) => number): Column<Row> => ({
    title,
    cell: (row) => of(row).toLocaleString("en"),
    align: "right",
  });
  return [
    ...keyColumns(by),
    number("STEPS", ({ steps }) => steps),
    number("IN", ({ inputTokens }) => inputTokens),
    number("CACHED", ({ cachedTokens }) => cachedTokens),
    number("OUT", ({ outputTokens }) => outputTokens),
    number("REASONING", ({ reasoningTokens }) => reasoningTokens),
    { title: "COST", cell: ({ cost }) => (cost === null ? "unknown" : money(cost)), align: "right" },
    number("UNPRICED", ({ unpricedTokens }) => unpricedTokens),
  ];
}

function keyColumns(by: UsageReport["by"]): Column<Row>[] {
  const key = (row: Row) => (row.isTotal ? "total" : visibleLine(row[by] ?? "unknown"));
  const column: Column<Row> = { title: by.toUpperCase(), cell: key };
  if (by !== "session") return [column];
  const title = ({ title: named, deleted }: Row) => (deleted ? "(deleted)" : visibleLine(named ?? ""));
  return [column, { title: "TITLE", cell: title, flexible: true }];
}

/** `7d` begins so many days ago, today being the last of them. */
function dayAt(now: () => number): (name: string) => (text: string) => string {
  return (name) => (text) => {
    const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
    if (days !== undefined) return new Date(now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)))
      throw new Failure(
        "usage",
        `${name} is "${text}"; it must be a day, as in 2026-07-01, or days, as in 7d`,
      );
    return text;
  };
}
