import { Command } from "commander";
import type { Ask } from "../client/commands.ts";
import { ProblemError } from "../client/errors.ts";
import { choicesOf, readAnswer } from "../session/answer.ts";
import { answer, wholeNumber, type Cli } from "./cli.ts";
import { choiceWords } from "./choice-words.ts";
import { Failure } from "./exit.ts";
import { answerWords } from "./transcript/happening.ts";
import { nameOf } from "./transcript/message-words.ts";
import { detailLines } from "./detail-lines.ts";
import { exact, visibleLine } from "./visible.ts";
import { ago } from "./words.ts";

export function asksCommand(cli: Cli): Command {
  const asks = new Command("asks").description("What agents ask: list and answer");
  for (const command of [list(cli), answerCommand(cli)]) asks.addCommand(command);
  return asks;
}

type ListOptions = { all?: true; limit: number };

function list(cli: Cli): Command {
  return new Command("list")
    .description("List what waits for an answer, in any session")
    .option("--all", "also what was answered")
    .option("--limit <n>", "how many", wholeNumber("--limit", 1, 200), 50)
    .action(async ({ all, limit }: ListOptions, command: Command) => {
      const asks = await cli.client.asks({ limit, ...(!all && { open: true }) });
      answer(cli, command, asks, ({ items }) => {
        if (items.length === 0) return cli.terminal.line("Nothing waits for an answer.");
        for (const ask of items) print(cli, ask);
      });
    });
}

function answerCommand(cli: Cli): Command {
  return new Command("answer")
    .description("Answer an ask; the first answer counts, from wherever it comes")
    .argument("<ask>", "an id or a unique beginning of it, or latest")
    .argument(
      "<answer...>",
      "a choice by number or name, behind deny a word if you like; or any text to a question",
    )
    .addHelpText(
      "after",
      `
Examples:
  holdfast asks answer latest once
  holdfast asks answer ask_01k9 deny "not in this directory"
  holdfast asks answer latest "the second one"`,
    )
    .action(async (name: string, words: string[], _: object, command: Command) => {
      const ask = await findAsk(cli, name);
      const given = readAnswer(ask, words.join(" "));
      if (!given) {
        const offered = choicesOf(ask).map(({ id }) => id);
        const behind = ask.kind === "approval" ? "; words may follow deny only" : "";
        throw new Failure(
          "usage",
          `"${visibleLine(words.join(" "))}" is no answer; say one of ${offered.join(", ")}${behind}`,
        );
      }
      const answered = await cli.client.answerAsk(ask.id, given);
      answer(cli, command, answered, () =>
        cli.terminal.line(`answered ${answered.id}: ${answerWords(answered.answer ?? {})}`),
      );
    });
}

/** Of `ask_`, ten characters of time and twelve of chance. */
const ID_CHARS = 26;

async function findAsk({ client }: Cli, name: string): Promise<Ask> {
  if (name.length >= ID_CHARS) {
    try {
      return await client.ask(name);
    } catch (error) {
      if (error instanceof ProblemError && error.status === 404)
        throw new Failure("not_found", `there is no ask ${visibleLine(name)}`);
      throw error;
    }
  }
  const { items } = await client.asks({ open: true, limit: 200 });
  const found = name === "latest" ? items.slice(0, 1) : items.filter(({ id }) => id.startsWith(name));
  const [first, second] = found;
  if (!first)
    throw new Failure("not_found", `no open ask is called "${visibleLine(name)}"; see: holdfast asks list`);
  if (!second) return first;
  throw new Failure(
    "conflict",
    `"${visibleLine(name)}" could be any of: ${found.map(({ id }) => id).join(", ")}`,
    {
      candidates: found.map(({ id, title }) => ({ id, title })),
    },
  );
}

function print({ terminal, now }: Cli, ask: Ask): void {
  const { id, session, kind, title, command, cwd, state, answer: given, closedBy, openedAt } = ask;
  const what = kind === "approval" ? "approval" : "question";
  terminal.line(
    `${terminal.paint("bold", id)}  ${what} in ${session}  ${terminal.paint("dim", ago(openedAt, now()))}`,
  );
  terminal.line(`  ${visibleLine(title)}`);
  if (command !== null)
    for (const line of exact(command).split("\n"))
      terminal.line(`  ${terminal.paint("yellow", `$ ${line}`)}`);
  for (const line of detailLines(ask.details ?? [])) terminal.line(`  ${line}`);
  if (cwd !== null) terminal.line(terminal.paint("dim", `  in ${visibleLine(cwd)}`));
  if (state === "open") {
    const choices = choiceWords(ask);
    if (choices !== "") terminal.line(`  ${choices}`);
  } else {
    const who = closedBy === null ? "" : ` by ${nameOf(closedBy)}`;
    const said = given === null ? "" : `: ${answerWords(given)}`;
    terminal.line(terminal.paint("dim", `  ${state}${who}${said}`));
  }
}
