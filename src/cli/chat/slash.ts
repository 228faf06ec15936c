// Slash commands: what the command line can do, from within a chat.
import { SLASH_COMMANDS, type SlashName, type Typed } from "../../client/slash.ts";
import { Failure } from "../exit.ts";
import { findSession } from "../find-session.ts";
import { printProcesses } from "../ps.ts";
import { saveStream } from "../save-stream.ts";
import { printSessions } from "../sessions/list.ts";
import type { Terminal } from "../terminal.ts";
import { allowingChoices } from "../../session/answer.ts";
import type { OpenAsk } from "../../session/view.ts";
import { failedTurn } from "../../session/retry.ts";
import { shown } from "../../session/search-text.ts";
import { withKnownCost } from "../../session/usage.ts";
import { usageWords } from "../transcript/message-words.ts";
import { visibleLine } from "../visible.ts";
import { bytes, count } from "../words.ts";
import type { ChatDesk } from "./interactive.ts";

/** What is no command is sent as it stands. `ask` is what the line was begun for. */
export async function runSlash(
  desk: ChatDesk,
  { name, rest }: Command,
  ask: OpenAsk | undefined,
): Promise<void> {
  await RUNS[name](desk, rest, ask);
}

export function refuseUnknown(name: string): never {
  throw new Failure(
    "usage",
    `there is no /${visibleLine(name)}; /help lists what there is. To send it as it is, begin with // or a space`,
  );
}

type Command = Extract<Typed, { type: "command" }>;

type Run = (desk: ChatDesk, text: string, ask: OpenAsk | undefined) => Promise<void> | void;

const RUNS: Record<SlashName, Run> = {
  help,
  stop: (desk) => desk.stop(),
  steer: (desk, text) => desk.send(needed(text, "/steer <text>"), "steer"),
  queue,
  approve,
  deny,
  retry,
  undo: async (desk) => void (await desk.client.undo(sessionOf(desk))),
  new: beginAnew,
  fork,
  sessions,
  resume,
  title,
  model,
  ps: processes,
  rules,
  usage,
  status,
  export: exportSession,
};

function help(desk: ChatDesk): void {
  const width = Math.max(...SLASH_COMMANDS.map(({ name, args }) => name.length + args.length + 2));
  for (const { name, args, about } of SLASH_COMMANDS)
    desk.print(`  ${`/${name} ${args}`.padEnd(width)}  ${about}`);
  desk.print("  While a turn runs, Tab chooses whether a line is queued or steers.");
  desk.print("  Ctrl-C clears the line, stops the turn, and once more leaves; Ctrl-D leaves.");
}

/** One that failed is gone on with; one that ended well is had anew. */
async function retry(desk: ChatDesk): Promise<void> {
  const session = sessionOf(desk);
  if (desk.view && failedTurn(desk.view) !== undefined) await desk.client.retry(session);
  else await desk.client.regenerate(session);
}

async function queue(desk: ChatDesk, text: string): Promise<void> {
  if (text === "release") {
    const { released } = await desk.client.releaseQueue(sessionOf(desk));
    return desk.print(released ? "The queue goes on." : "The queue is not held.", "dim");
  }
  if (text !== "") return desk.send(text, "prompt");
  const waiting = desk.view?.queue ?? [];
  if (waiting.length === 0) return desk.print("Nothing waits.", "dim");
  waiting.forEach(({ text: said, kind }, n) => desk.print(`  ${n + 1} ${kind}: ${visibleLine(shown(said))}`));
}

async function approve(desk: ChatDesk, text: string, ask: OpenAsk | undefined): Promise<void> {
  const choice = text === "" ? "once" : text;
  const asked = approvalIn(desk, ask);
  if (await desk.answer(asked, choice)) return;
  throw new Failure("usage", `/approve takes nothing, or one of: ${allowingChoices(asked).join(", ")}`);
}

async function deny(desk: ChatDesk, why: string, ask: OpenAsk | undefined): Promise<void> {
  await desk.answer(approvalIn(desk, ask), `deny ${why}`);
}

function beginAnew(desk: ChatDesk): void {
  desk.turnTo(undefined);
  desk.print("── a new session begins with what you type", "dim");
}

async function fork(desk: ChatDesk): Promise<void> {
  const { id } = await desk.client.forkSession(sessionOf(desk));
  desk.print(`── forked as ${id}`, "dim");
  desk.turnTo(id);
}

async function sessions(desk: ChatDesk): Promise<void> {
  const { items } = await desk.client.sessions({ limit: 10, archived: false });
  if (items.length === 0) return desk.print("No sessions yet.", "dim");
  printSessions(terminalOf(desk), items, desk.cli.now());
}

async function processes(desk: ChatDesk): Promise<void> {
  const { items } = await desk.client.processes({ session: sessionOf(desk), limit: 20 });
  if (items.length === 0) return desk.print("Nothing runs.", "dim");
  printProcesses(terminalOf(desk), items);
}

async function resume(desk: ChatDesk, name: string): Promise<void> {
  const { id } = await findSession(desk.client, needed(name, "/resume <session>"));
  desk.turnTo((await desk.client.session(id)).head);
}

async function title(desk: ChatDesk, text: string): Promise<void> {
  await desk.client.patchSession(sessionOf(desk), { title: needed(text, "/title <title>") });
}

async function model(desk: ChatDesk, text: string): Promise<void> {
  if (text !== "") return void (await desk.client.patchSession(sessionOf(desk), { model: text }));
  const { meta } = desk.view ?? {};
  desk.print(`  ${visibleLine(meta?.model ?? `as the profile ${meta?.profile ?? "default"} says`)}`);
}

async function rules(desk: ChatDesk): Promise<void> {
  const saved = await desk.client.rules();
  if (saved.length === 0) desk.print("Nothing was allowed for good.", "dim");
  for (const { id, decision, tool, shown: seen, match } of saved)
    desk.print(`  ${id} ${decision} ${visibleLine(`${tool} ${seen ?? match}`)}`);
}

async function usage(desk: ChatDesk): Promise<void> {
  const told = (words: string[]) => (words.length > 0 ? words.join(" · ") : "nothing yet");
  desk.print(`  this session: ${told(desk.view ? usageWords(desk.view.usage) : [])}`);
  const { total } = await desk.client.usage({ limit: 1 });
  desk.print(`  all sessions: ${told(usageWords(withKnownCost(total)))}`);
}

async function status(desk: ChatDesk): Promise<void> {
  const { sessions: counts, asks } = await desk.client.overview();
  const told = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name}`);
  if (asks > 0) told.push(`${count(asks, "ask")} waiting for an answer`);
  desk.print(`  ${told.join(", ") || "nothing yet"}`);
}

/** Into the directory that the chat was started in. */
async function exportSession(desk: ChatDesk, text: string): Promise<void> {
  const format = text === "" ? "md" : text;
  if (format !== "md" && format !== "jsonl") throw new Failure("usage", "/export takes nothing, md or jsonl");
  const session = sessionOf(desk);
  const file = `${session}.${format}`;
  const saved = await saveStream(await desk.client.exportSession(session, format), file, { force: false });
  desk.print(`  wrote ${bytes(saved)} to ${file}`);
}

/** For what prints tables. */
function terminalOf(desk: ChatDesk): Terminal {
  const { terminal } = desk.cli;
  return { ...terminal, width: terminal.width - 1, line: (text = "") => desk.print(text) }; // the last column stays free
}

/** Only what was in view as it was typed. */
function approvalIn({ view }: ChatDesk, ask: OpenAsk | undefined): OpenAsk {
  if (ask?.kind === "approval") return ask;
  const isLater = !ask && view?.asks[0]?.kind === "approval";
  if (isLater)
    throw new Failure("conflict", "it was asked after you began this line: look at it, and say so again");
  throw new Failure(
    "conflict",
    ask ? "a question is asked first: answer that" : "nothing waits for an approval",
  );
}

function sessionOf({ session }: ChatDesk): string {
  if (session === undefined)
    throw new Failure("conflict", "there is no session yet: it begins with what you type");
  return session;
}

function needed(text: string, usageLine: string): string {
  if (text === "") throw new Failure("usage", `say ${usageLine}`);
  return text;
}
