import { Command } from "commander";
import type { Delivery } from "../client/attachment.ts";
import { connect } from "../client/connect.ts";
import { ProblemError } from "../client/errors.ts";
import { liveSession } from "../client/live.ts";
import { replay } from "../client/replay.ts";
import type { Attached, Socket } from "../client/socket.ts";
import { problem } from "../protocol/problem.ts";
import type { Missed } from "../protocol/socket.ts";
import { isPosition, START, type Position } from "../session/position.ts";
import { emptyView } from "../session/view.ts";
import { isJson, type Cli } from "./cli.ts";
import { Failure } from "./exit.ts";
import { findSession } from "./find-session.ts";
import { Transcript } from "./transcript/transcript.ts";
import { count } from "./words.ts";

export function attachCommand(cli: Cli): Command {
  return new Command("attach")
    .description("Follow a session: all that happened, then what happens, as it happens")
    .argument("<session>", "an id or its beginning, a title, or latest")
    .option("--from <position>", "only what comes after this position")
    .addHelpText(
      "after",
      `
Ctrl-C or Ctrl-D leaves; the session goes on. A restart of the server is waited out: nothing is missed or shown twice.
With --json each event is a line of its own, as it lies in the log.

Examples:
  holdfast attach latest
  holdfast attach "Red build" --json | jq -r 'select(.type == "turn_ended").data.outcome'`,
    )
    .action(async (name: string, { from = START }: { from?: string }, command: Command) => {
      if (!isPosition(from))
        throw new Failure("usage", `--from is "${from}"; it must be a position: 16 digits, _, 16 digits`);
      const { client } = cli;
      const { id } = await findSession(client, name);
      const socket = connect(client);
      const screen = isJson(command) ? jsonLines(cli, from) : transcript(cli, id, from, socket);
      try {
        await follow(cli, id, socket, screen);
      } finally {
        socket.close();
        screen.end();
      }
    });
}

type Deliver = (delivery: Delivery) => void;

/** What is done with a session's events. */
type Screen = {
  after: Position;
  start(subscribe: (deliver: Deliver) => Attached): void;
  end(): void;
};

/** Until someone leaves, the session ends, or it can't be followed. */
async function follow(cli: Cli, session: string, socket: Socket, screen: Screen): Promise<void> {
  const offs: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      offs.push(
        cli.onInterrupt(resolve),
        onEndOfInput(cli, resolve),
        socket.onConnection((now) => {
          if (now.state === "refused") reject(new ProblemError(now.problem));
        }),
      );
      screen.start((deliver) =>
        replay(cli.client, socket, session, screen.after, (delivery) => {
          deliver(delivery);
          if (delivery.type === "closed") resolve();
          if (delivery.type === "refused") reject(new ProblemError(problem(delivery.code, delivery.detail)));
          return cli.terminal.backlog();
        }),
      );
    });
  } finally {
    for (const off of offs) off();
  }
}

function jsonLines({ terminal }: Cli, after: Position): Screen {
  return {
    after,
    start(subscribe) {
      subscribe((delivery) => {
        if (delivery.type === "events") for (const event of delivery.events) terminal.json(event);
        // Positions from before mean nothing from here on, so a reader has to know.
        if (delivery.type === "resync") {
          const { view, reason } = delivery;
          terminal.json({ type: "resync", position: view.position, data: { reason, view } });
        }
      });
    },
    end() {},
  };
}

function transcript(cli: Cli, session: string, from: Position, socket: Socket): Screen {
  const { terminal } = cli;
  const printed = new Transcript(terminal, cli.now);
  let wasLost = false;
  return {
    after: START, // a view is folded from the beginning, whatever of it is shown
    start(subscribe) {
      liveSession(emptyView(), subscribe, (change, view) => {
        if (change.type === "event" && change.event.position > from) {
          if (change.event.type === "session_created") printed.head(session, view.meta);
          printed.follow(change.event, view, change.touched);
        }
        if (change.type === "resync") {
          printed.note("── the server has another store now; this is how the session stands in it", "yellow");
          printed.show(view);
        }
        if (change.type === "caught_up" && wasLost) {
          wasLost = false;
          if (terminal.isInteractive) printed.note(`  · reconnected${missedWords(change.missed)}`);
        }
      });
      socket.onConnection(({ state }) => {
        const isLost = state === "reconnecting" || state === "offline";
        if (!isLost || wasLost) return;
        wasLost = true;
        if (terminal.isInteractive) printed.note("  · the server is gone; waiting for it to come back");
      });
    },
    end: () => printed.end(),
  };
}

function missedWords({ messages, tools, asks }: Missed): string {
  const came = [
    ...(messages > 0 ? [count(messages, "message")] : []),
    ...(tools > 0 ? [count(tools, "tool call")] : []),
    ...(asks > 0 ? [`${count(asks, "ask")} still open`] : []),
  ];
  return came.length === 0 ? "" : `: ${came.join(", ")} while the server was out of reach`;
}

/** Ctrl-D. Only on a terminal: a script's stdin is often at its end from the beginning. */
function onEndOfInput({ stdin }: Cli, run: () => void): () => void {
  if (!stdin.isTTY) return () => {};
  stdin.on("end", run).resume();
  return () => void stdin.off("end", run).pause();
}
