// Going on from an earlier point of a session: each of these ends it in favour of a successor, whose id is printed.
import { Command } from "commander";
import type { SessionRow } from "../../client/commands.ts";
import type { View } from "../../session/view.ts";
import { answer, type Cli } from "../cli.ts";
import { Failure } from "../exit.ts";
import { findById } from "../find-by-id.ts";
import { findSession } from "../find-session.ts";
import { visibleLine } from "../visible.ts";

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
      .option("--input <input>", "which one, by its id or the beginning of it, or latest", "latest")
      .addHelpText("after", '\nExample:\n  holdfast sessions resend latest "In TypeScript, please"')
      .action((name: string, words: string[], { input }: { input: string }, command: Command) =>
        goBack(cli, command, name, async (id) => {
          const which = isWhole(input) ? input : findInput((await cli.client.session(id)).view, input);
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

/** Looked for by the server, however long ago it was sent. */
function isWhole(input: string): boolean {
  return /^inp_\w{22}$/.test(input);
}

function findInput({ messages }: View, wanted: string): string {
  const sent = messages.filter(({ kind }) => kind === "input");
  const last = sent.at(-1);
  if (!last)
    throw new Failure("conflict", "nothing was sent of late; name what to send otherwise with --input");
  if (wanted === "latest") return last.id;
  if (sent.some(({ id }) => id.startsWith(wanted))) return findById(sent, wanted, "input").id;
  throw new Failure(
    "not_found",
    `nothing that was sent of late is called "${visibleLine(wanted)}"; what was sent earlier is named by its whole id`,
  );
}
