// Going on from an earlier point of a session: each of these ends it in favour of a successor, whose id is printed.
import { Command } from "commander";
import type { SessionRow } from "../../client/commands.ts";
import type { View } from "../../session/view.ts";
import { answer, type Cli } from "../cli.ts";
import { Failure } from "../exit.ts";
import { findSession } from "../find-session.ts";

export function goBackCommands(cli: Cli): Command[] {
  return [
    verb("regenerate", "Have the last turn anew").action((name: string, _: object, command: Command) =>
      goBack(cli, command, name, (id) => cli.client.regenerate(id)),
    ),
    verb("undo", "Go back to before the last turn").action((name: string, _: object, command: Command) =>
      goBack(cli, command, name, (id) => cli.client.undo(id)),
    ),
    verb("resend", "Go back to where something was sent, and send this instead")
      .argument("<text...>", "what should have been sent")
      .option("--input <input>", "which one, by its id; else the last")
      .addHelpText("after", '\nExample:\n  holdfast sessions resend latest "In TypeScript, please"')
      .action((name: string, words: string[], { input }: { input?: string }, command: Command) =>
        goBack(cli, command, name, async (id) => {
          const which = input ?? lastInput((await cli.client.session(id)).view);
          return cli.client.resendInput(id, which, { text: words.join(" ") });
        }),
      ),
  ];
}

function verb(name: string, description: string): Command {
  return new Command(name)
    .description(`${description}, in a successor; the session as it was stays readable`)
    .argument("<session>", "an id or its beginning, a title, or latest");
}

async function goBack(
  cli: Cli,
  command: Command,
  name: string,
  go: (session: string) => Promise<SessionRow>,
): Promise<void> {
  const { id } = await findSession(cli.client, name);
  const successor = await go(id);
  answer(cli, command, successor, () => cli.terminal.line(successor.id));
}

function lastInput({ messages }: View): string {
  const last = messages.findLast((message) => message.kind === "input");
  if (last) return last.id;
  throw new Failure("conflict", "nothing was sent of late; name what to send otherwise with --input");
}
