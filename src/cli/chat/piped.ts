// `echo "…" | holdfast chat`: one input, its answer on stdout and nothing else, the turn's outcome as exit code.
import type { NewSession } from "../../client/commands.ts";
import { connect } from "../../client/connect.ts";
import { ProblemError } from "../../client/errors.ts";
import { liveSession, type Change } from "../../client/live.ts";
import { problem } from "../../protocol/problem.ts";
import type { Fact } from "../../session/event.ts";
import type { Message, View } from "../../session/view.ts";
import type { Cli } from "../cli.ts";
import { Failure } from "../exit.ts";
import { detailLines } from "../detail-lines.ts";
import { askWords } from "../transcript/happening.ts";

export type Reply = {
  session: string;
  turn: string;
  outcome: "completed" | "failed" | "stopped";
  /** What the agent said last. */
  text: string;
  error: string | null;
};

export async function replyTo(
  cli: Cli,
  session: string | undefined,
  options: Omit<NewSession, "input">,
  text: string,
): Promise<Reply> {
  const sent = session === undefined ? await begin(cli, options, text) : await send(cli, session, text);
  return untilDone(cli, sent);
}

/** What was sent, and by what its turn is known: its input, or the turn that it answered a question of. */
type Sent = { session: string; input: string } | { session: string; turn: string | undefined };

async function begin({ client }: Cli, options: Omit<NewSession, "input">, text: string): Promise<Sent> {
  const { id } = await client.createSession({ ...options, input: { kind: "prompt", text } });
  const { view } = await client.session(id);
  const input = view.queue[0]?.input ?? view.messages.find(({ kind }) => kind === "input")?.id;
  if (input === undefined) throw new Failure("failed", `${id} has lost its first input`);
  return { session: id, input };
}

async function send({ client }: Cli, session: string, text: string): Promise<Sent> {
  const { input } = await client.admitInput(session, { kind: "prompt", text });
  if (input !== null) return { session, input };
  return { session, turn: (await client.session(session)).view.turn?.id };
}

/** However long that takes, and through restarts of the server. */
async function untilDone(cli: Cli, sent: Sent): Promise<Reply> {
  const { client, terminal } = cli;
  const { session } = sent;
  const socket = connect(client);
  const offs: (() => void)[] = [];
  const told = new Set<string>();
  try {
    return await new Promise<Reply>((resolve, reject) => {
      let turn = "turn" in sent ? sent.turn : undefined;
      offs.push(
        cli.onInterrupt(stopOrLeave(cli, session, reject)),
        socket.onConnection((now) => {
          if (now.state === "refused") reject(new ProblemError(now.problem));
        }),
      );
      liveSession(
        null,
        (deliver) => socket.attach(session, null, deliver),
        (change, view) => {
          if (change.type === "refused") return reject(new ProblemError(problem(change.code, change.detail)));
          turn ??= "input" in sent ? turnOf(sent.input, change, view) : undefined;
          const end = view.messages.findLast(
            (message) => message.kind === "turn_end" && message.turn === turn,
          );
          if (turn !== undefined && end?.kind === "turn_end") return resolve(replyOf(session, view, end));
          if ("input" in sent && isWithdrawn(sent.input, change))
            return reject(new Failure("failed", "the input was withdrawn before it was begun with"));
          if (view.ended) return reject(new Failure("failed", `${session} ended: ${view.ended.reason}`));
          for (const ask of view.asks) {
            if (told.has(ask.ask)) continue;
            told.add(ask.ask);
            const waits = `It waits for: holdfast asks answer ${ask.ask} …`;
            terminal.note([askWords(ask), ...detailLines(ask.details ?? []), waits].join("\n"), "yellow");
          }
        },
      );
    });
  } finally {
    for (const off of offs) off();
    socket.close();
  }
}

/** Ctrl-C stops the turn, twice leaves it. */
function stopOrLeave({ client, terminal }: Cli, session: string, reject: (error: Error) => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return reject(new Failure("failed", `left; ${session} goes on`));
    isAsked = true;
    terminal.note("stopping; Ctrl-C again leaves", "yellow");
    client.stop(session).catch((error: unknown) => reject(error as Error));
  };
}

function turnOf(input: string, change: Change, view: View): string | undefined {
  const fact = change.type === "event" ? (change.event as Fact) : undefined;
  if (fact?.type === "input_delivered" && fact.data.input === input) return fact.data.turn;
  const taken = view.messages.find((message) => message.kind === "input" && message.id === input);
  return taken?.kind === "input" ? (taken.turn ?? undefined) : undefined;
}

function isWithdrawn(input: string, change: Change): boolean {
  const fact = change.type === "event" ? (change.event as Fact) : undefined;
  return fact?.type === "input_withdrawn" && fact.data.input === input;
}

function replyOf(session: string, view: View, end: Extract<Message, { kind: "turn_end" }>): Reply {
  const { turn, outcome, error } = end;
  const last = view.messages.findLast(
    (message) => message.kind === "step" && message.turn === turn && message.state === "completed",
  );
  const parts = last?.kind === "step" ? last.parts : [];
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  return { session, turn, outcome, text, error: error?.message ?? null };
}
