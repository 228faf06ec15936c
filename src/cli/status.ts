import { Command } from "commander";
import type { Overview } from "../client/commands.ts";
import { answer, type Cli } from "./cli.ts";
import { printSessions } from "./sessions/list.ts";
import { visibleLine } from "./visible.ts";
import { ago, count } from "./words.ts";

const ASKS_SHOWN = 10;

export function statusCommand(cli: Cli): Command {
  return new Command("status")
    .description("Everything that runs and waits")
    .addHelpText("after", "\nExample:\n  holdfast status --json | jq '.active[] | {id, status}'")
    .action(async (_: object, command: Command) => {
      const overview = await cli.client.overview();
      answer(cli, command, overview, () => print(cli, overview));
    });
}

function print(
  { terminal, now }: Cli,
  { version, store, sessions, asks, openAsks, active, processes, nodes }: Overview,
): void {
  const counts = Object.entries(sessions).filter(([, n]) => n > 0);
  const told = counts.map(([status, n]) => `${n} ${status}`).join(", ") || "none yet";
  terminal.line(`${terminal.paint("bold", "Sessions")}  ${told}`);
  if (asks > 0) terminal.line(terminal.paint("yellow", `${count(asks, "ask")} waiting for an answer`));
  for (const { id, session, kind, title, openedAt } of openAsks.slice(0, ASKS_SHOWN))
    terminal.line(
      `  ${id}  ${kind === "approval" ? "approval" : "question"} in ${session}, ${ago(openedAt, now())}: ${visibleLine(title)}`,
    );
  if (asks > ASKS_SHOWN) terminal.line("  and more: holdfast asks list");
  if (processes.length > 0)
    terminal.line(
      `${terminal.paint("bold", "Processes")} ${count(processes.length, "process", "processes")} running: holdfast ps`,
    );
  terminal.line(`${terminal.paint("bold", "Server")}    holdfast ${version}, store ${store}`);
  for (const { host, pid, url, startedAt, alive } of nodes)
    terminal.line(
      `${terminal.paint("bold", "Node")}      ${host}:${pid}${url === null ? "" : ` at ${url}`}, ${
        alive ? `started ${ago(startedAt, now())}` : terminal.paint("red", "not alive")
      }`,
    );
  if (active.length === 0) return terminal.line("No turn runs or waits.");
  terminal.line();
  printSessions(terminal, active, now());
  const [stuck] = active.filter(({ attention }) => attention?.kind === "failed");
  if (stuck)
    terminal.line(
      terminal.paint("red", `What failed can't go on by itself: holdfast sessions show ${stuck.id}`),
    );
}
