import { Command } from "commander";
import type { LoginInfo } from "../client/commands.ts";
import { answer, type Cli } from "./cli.ts";
import { findById } from "./find-by-id.ts";
import { printTable } from "./table.ts";
import { visibleLine } from "./visible.ts";
import { ago } from "./words.ts";

export function loginsCommand(cli: Cli): Command {
  const logins = new Command("logins").description("The browsers that are logged in");
  logins.addCommand(
    new Command("list").description("List them").action(async (_: object, command: Command) => {
      const items = await cli.client.logins();
      answer(cli, command, { items }, () => print(cli, items));
    }),
  );
  logins.addCommand(
    new Command("revoke")
      .description("Log a browser out; its open streams end too")
      .argument("<login>", "an id or a unique beginning of it, or latest")
      .action(async (name: string, _: object, command: Command) => {
        const { id } = findById(await cli.client.logins(), name, "login");
        await cli.client.revokeLogin(id);
        answer(cli, command, { revoked: id }, () => cli.terminal.line(`revoked ${id}`));
      }),
  );
  return logins;
}

function print({ terminal, now }: Cli, items: readonly LoginInfo[]): void {
  if (items.length === 0) return terminal.line("No browser is logged in. Make a link with: holdfast login");
  printTable<LoginInfo>(
    terminal,
    [
      { title: "ID", cell: ({ id }) => id },
      { title: "PERSON", cell: ({ person }) => visibleLine(person) },
      { title: "DEVICE", cell: ({ device }) => visibleLine(device), flexible: true },
      { title: "USED", cell: ({ usedAt }) => ago(usedAt, now()), align: "right" },
    ],
    items,
  );
}
