import { Command } from "commander";
import { answer, wholeNumber, type Cli } from "../cli.ts";
import { Failure } from "../exit.ts";
import { visibleLine } from "../visible.ts";
import { ago } from "../words.ts";

export function searchCommand(cli: Cli): Command {
  return new Command("search")
    .description("Find words in everything that was said, titles and tool output included")
    .argument("<words...>", "all of which must be there")
    .option("--limit <n>", "how many hits", wholeNumber("--limit", 1, 100), 20)
    .addHelpText("after", "\nExample:\n  holdfast sessions search flaky migration test")
    .action(async (words: string[], { limit }: { limit: number }, command: Command) => {
      const { client, terminal } = cli;
      const q = words.join(" ");
      if (q.trim() === "") throw new Failure("usage", "there is nothing to search for: no word was given");
      const { items } = await client.search({ q, limit });
      answer(cli, command, { items }, () => {
        if (items.length === 0) return terminal.line(`Nothing was found for: ${visibleLine(q)}`);
        for (const { session, title, position, at, snippet } of items) {
          const where = `${session} ${position}  ${ago(at, cli.now())}`;
          terminal.line(
            `${terminal.paint("bold", visibleLine(title ?? "") || "–")}  ${terminal.paint("dim", where)}`,
          );
          terminal.line(`  ${visibleLine(snippet)}`);
        }
      });
    });
}
