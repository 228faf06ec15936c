import { Command, Option } from "commander";
import type { NewToken, TokenInfo } from "../client/commands.ts";
import { answer, type Cli } from "./cli.ts";
import { findById } from "./find-by-id.ts";
import { printTable } from "./table.ts";
import { visibleLine } from "./visible.ts";
import { ago } from "./words.ts";

export function tokenCommand(cli: Cli): Command {
  const token = new Command("token").description("Tokens, with which programs and other machines get in");
  for (const command of [createCommand(cli), listCommand(cli), revokeCommand(cli)]) token.addCommand(command);
  return token;
}

function createCommand(cli: Cli): Command {
  return new Command("create")
    .description("Make a token; it is shown this once and never again")
    .argument("<name>", "what it is for")
    .option("--person <person>", "whose it is, if not your own")
    .addOption(
      new Option("--kind <kind>", "what a program reads does not count as read by its person")
        .choices(["program", "person"])
        .default("program"),
    )
    .addHelpText("after", "\nExample:\n  HOLDFAST_TOKEN=$(holdfast token create ci) ./run-in-ci")
    .action(async (name: string, wish: Omit<NewToken, "name">, command: Command) => {
      const made = await cli.client.createToken({ name, ...wish });
      answer(cli, command, made, () => cli.terminal.line(made.token));
    });
}

function listCommand(cli: Cli): Command {
  return new Command("list")
    .description("List tokens, without their secrets")
    .action(async (_: object, command: Command) => {
      const items = await cli.client.tokens();
      answer(cli, command, { items }, () => print(cli, items));
    });
}

function revokeCommand(cli: Cli): Command {
  return new Command("revoke")
    .description("Make a token worthless; what it has open is closed")
    .argument("<token>", "an id or a unique beginning of it, a name, or latest")
    .action(async (name: string, _: object, command: Command) => {
      const { id } = findById(await cli.client.tokens(), name, "token");
      await cli.client.revokeToken(id);
      answer(cli, command, { revoked: id }, () => cli.terminal.line(`revoked ${id}`));
    });
}

function print({ terminal, now }: Cli, items: readonly TokenInfo[]): void {
  if (items.length === 0) return terminal.line("No tokens. Make one with: holdfast token create <name>");
  printTable<TokenInfo>(
    terminal,
    [
      { title: "ID", cell: ({ id }) => id },
      { title: "NAME", cell: ({ name }) => visibleLine(name), flexible: true },
      {
        title: "PERSON",
        cell: ({ person, kind }) => `${visibleLine(person)}${kind === "program" ? " (program)" : ""}`,
      },
      {
        title: "USED",
        cell: ({ usedAt }) => (usedAt === null ? "never" : ago(usedAt, now())),
        align: "right",
      },
    ],
    items,
  );
}
