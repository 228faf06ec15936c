import { Command } from "commander";
import type { View } from "../session/view.ts";
import { shown } from "../session/search-text.ts";
import { answer, type Cli } from "./cli.ts";
import { Failure } from "./exit.ts";
import { findSession } from "./find-session.ts";
import { printTable } from "./table.ts";
import { nameOf } from "./transcript/message-words.ts";
import { visibleLine } from "./visible.ts";
import { ago } from "./words.ts";

type Queued = View["queue"][number];

export function queueCommand(cli: Cli): Command {
  const queue = new Command("queue").description(
    "What waits in a session: list, edit, move, withdraw, release",
  );
  for (const command of [list(cli), edit(cli), move(cli), rm(cli), release(cli)]) queue.addCommand(command);
  return queue;
}

function list(cli: Cli): Command {
  return verb("list", "List what waits, in its order").action(
    async (name: string, _: object, command: Command) => {
      const { held, queue, session } = await queueOf(cli, name);
      answer(cli, command, { session, held, items: queue }, () => print(cli, queue, held));
    },
  );
}

function edit(cli: Cli): Command {
  return verb("edit", "Say what waits otherwise")
    .argument("<input>", INPUT)
    .argument("<text...>", "what it is to say")
    .option("--steer", "let it enter the turn that runs")
    .addHelpText("after", '\nExample:\n  holdfast queue edit latest 1 "only the last commit, please"')
    .action(
      async (name: string, input: string, words: string[], { steer }: { steer?: true }, command: Command) => {
        const queued = await findQueued(cli, name, input);
        await cli.client.patchInput(queued.session, queued.input, {
          text: words.join(" "),
          ...(steer && { kind: "steer" }),
        });
        done(cli, command, queued, "changed");
      },
    );
}

function move(cli: Cli): Command {
  return verb("move", "Give what waits another place")
    .argument("<input>", INPUT)
    .option("--before <input>", "in front of this one; else it goes last")
    .addHelpText("after", "\nExample:\n  holdfast queue move latest 3 --before 1")
    .action(async (name: string, input: string, options: { before?: string }, command: Command) => {
      const queued = await findQueued(cli, name, input);
      const before = options.before === undefined ? null : pick(queued.queue, options.before).input;
      await cli.client.patchInput(queued.session, queued.input, { before });
      done(cli, command, queued, "moved");
    });
}

function rm(cli: Cli): Command {
  return verb("rm", "Withdraw what waits")
    .argument("<input>", INPUT)
    .action(async (name: string, input: string, _: object, command: Command) => {
      const queued = await findQueued(cli, name, input);
      await cli.client.withdrawInput(queued.session, queued.input);
      done(cli, command, queued, "withdrawn");
    });
}

function release(cli: Cli): Command {
  return verb("release", "Go on with what was queued when the session was stopped").action(
    async (name: string, _: object, command: Command) => {
      const { client, terminal } = cli;
      const { id } = await findSession(client, name);
      const released = await client.releaseQueue(id);
      answer(cli, command, { session: id, ...released }, () =>
        terminal.line(released.released ? `the queue of ${id} goes on` : `the queue of ${id} is not held`),
      );
    },
  );
}

const INPUT = "its number in the list, its id or the beginning of it, or latest";

function verb(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument("<session>", "an id or its beginning, a title, or latest");
}

async function queueOf({ client }: Cli, name: string) {
  const { id } = await findSession(client, name);
  const { view } = await client.session(id);
  return { session: id, queue: view.queue, held: view.held };
}

async function findQueued(cli: Cli, name: string, input: string) {
  const { session, queue } = await queueOf(cli, name);
  return { session, queue, input: pick(queue, input).input };
}

/** By its number, or by an id. One that waits no longer is named whole: the server knows where it went. */
function pick(queue: readonly Queued[], wanted: string): Pick<Queued, "input"> {
  const numbered = /^\d+$/.test(wanted) ? queue[Number(wanted) - 1] : undefined;
  const placed = wanted === "latest" ? queue.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0] : numbered;
  if (placed) return placed;
  const found = queue.filter(({ input }) => input.startsWith(wanted));
  const [first, second] = wanted.startsWith("inp_") ? found : [];
  if (second)
    throw new Failure("conflict", `"${visibleLine(wanted)}" could be any of ${found.length} inputs`);
  if (first) return first;
  if (/^inp_\w{22}$/.test(wanted)) return { input: wanted };
  throw new Failure(
    "not_found",
    `nothing that waits is called "${visibleLine(wanted)}"; see: holdfast queue list`,
  );
}

function done(
  cli: Cli,
  command: Command,
  { session, input }: { session: string; input: string },
  what: string,
) {
  answer(cli, command, { session, input }, () => cli.terminal.line(`${what} ${input}`));
}

function print({ terminal, now }: Cli, queue: readonly Queued[], held: boolean): void {
  if (queue.length === 0) return terminal.line("Nothing waits.");
  printTable<Queued>(
    terminal,
    [
      { title: "#", cell: ({ input }) => String(queue.findIndex((each) => each.input === input) + 1) },
      { title: "ID", cell: ({ input }) => input },
      { title: "KIND", cell: ({ kind, delivery }) => (delivery === "now" ? "now" : kind) },
      { title: "TEXT", cell: ({ text }) => visibleLine(shown(text)), flexible: true },
      { title: "BY", cell: ({ by }) => nameOf(by) },
      { title: "SENT", cell: ({ at }) => ago(at, now()), align: "right" },
    ],
    queue,
  );
  if (held)
    terminal.line(
      terminal.paint("yellow", "held since a stop or a failure; goes on with: holdfast queue release"),
    );
}
