import { Command } from "commander";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { answer, type Cli } from "./cli.ts";
import { Failure } from "./exit.ts";
import { findSession } from "./find-session.ts";

type Options = { title?: string; profile?: string; workspace?: string; steer?: true; now?: true };

export function sendCommand(cli: Cli): Command {
  return new Command("send")
    .description("Send something to a session, or begin a new one with it")
    .argument("<session>", "an id or its beginning, a title, latest, or new")
    .argument("<text...>", "what to send; - reads it from stdin")
    .option("--title <title>", "of a new session")
    .option("--profile <profile>", "the agent of a new session")
    .option("--workspace <directory>", "where a new session works")
    .option("--steer", "into the turn that is running, before its next step")
    .option("--now", "stop the turn that is running, and begin with this next")
    .addHelpText(
      "after",
      `
It is durable as soon as this command ends; the work goes on whether anyone watches or not. While a turn runs it waits in the
queue; while the agent asks a question it is the answer.

Examples:
  holdfast send new "Why is the build red?" --title "Red build"
  git diff | holdfast send latest -
  holdfast send "Red build" --steer "only look at the last commit"`,
    )
    .action(async (name: string, words: string[], options: Options, command: Command) => {
      const text = words.length === 1 && words[0] === "-" ? await readAll(cli.stdin) : words.join(" ");
      if (text.trim() === "") throw new Failure("usage", "there is nothing to send: the text is empty");
      const sent = name === "new" ? await begin(cli, text, options) : await send(cli, name, text, options);
      answer(cli, command, sent, ({ session, answered }) => {
        cli.terminal.line(session);
        if (answered !== undefined) cli.terminal.note(`it answered ${answered}`, "dim");
      });
    });
}

type Sent = { session: string; position: string; input?: string | null; answered?: string | undefined };

async function begin({ client }: Cli, text: string, options: Options): Promise<Sent> {
  const { steer, now, workspace, ...given } = options;
  if (steer || now)
    throw new Failure(
      "usage",
      `--${steer ? "steer" : "now"} needs a session with a turn that is running, not a new one`,
    );
  const { id, position } = await client.createSession({
    ...given,
    ...(workspace !== undefined && { workspace: resolve(workspace) }), // a server has another directory of its own
    input: { kind: "prompt", text },
  });
  return { session: id, position };
}

async function send({ client }: Cli, name: string, text: string, options: Options): Promise<Sent> {
  const { steer, now, ...given } = options;
  if (steer && now)
    throw new Failure("usage", "--steer goes into the turn that --now would stop: choose one");
  const [surplus] = Object.keys(given);
  if (surplus !== undefined)
    throw new Failure("usage", `--${surplus} is for a new session: holdfast send new "…" --${surplus} …`);
  const { id } = await findSession(client, name);
  return client.admitInput(id, { kind: steer ? "steer" : "prompt", text, ...(now && { delivery: "now" }) });
}
