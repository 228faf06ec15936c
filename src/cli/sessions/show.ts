import { Command } from "commander";
import { answer, type Cli } from "../cli.ts";
import { findSession } from "../find-session.ts";
import { statusWords } from "./list.ts";
import { Transcript } from "../transcript/transcript.ts";
import { ago, count } from "../words.ts";

export function showCommand(cli: Cli): Command {
  return new Command("show")
    .description("Show a session as it is now: what it is, and its last messages")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .addHelpText(
      "after",
      "\nExamples:\n  holdfast sessions show latest\n  holdfast sessions show ses_01k9 --json | jq .view.messages",
    )
    .action(async (name: string, _: object, command: Command) => {
      const { client, terminal } = cli;
      const shown = await client.session((await findSession(client, name)).id);
      answer(cli, command, shown, ({ view, ...row }) => {
        const transcript = new Transcript(terminal, cli.now);
        transcript.head(row.id, view.meta);
        const facts = [
          statusWords(row, cli.now()),
          count(row.messages, "message"),
          `updated ${ago(row.updatedAt, cli.now())}`,
        ];
        if (row.unread > 0) facts.push(`${row.unread} unread`);
        if (row.head !== row.id) facts.push(`continued in ${row.head}`);
        if (row.origin) facts.push(`${row.origin.kind} of ${row.origin.session}`);
        if (row.pinned) facts.push("pinned");
        if (row.archived) facts.push("archived");
        terminal.line(terminal.paint("dim", facts.join(" · ")));
        transcript.show(view);
        transcript.end();
      });
    });
}
