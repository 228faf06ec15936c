// The lines under the transcript: what runs and for how long, what is asked, what is being typed and what Return would do
// with it. Pure: the same scene is the same lines.
import { choicesOf } from "../../session/answer.ts";
import type { OpenAsk, ToolPart, View } from "../../session/view.ts";
import type { Terminal } from "../terminal.ts";
import { choiceWords } from "../choice-words.ts";
import { detailLines } from "../detail-lines.ts";
import { shown } from "../../session/search-text.ts";
import { toolWords } from "../transcript/message-words.ts";
import { cutTo, displayWidth, exact, visibleLine } from "../visible.ts";
import { clock, count, duration } from "../words.ts";
import type { Region } from "./live-area.ts";

export type Mode = "queue" | "steer";

export type Scene = {
  view: View | null;
  /** What Return answers. */
  asked: OpenAsk | undefined;
  /** What the line was begun for is closed. */
  isTooLate: boolean;
  mode: Mode;
  /** The server is gone for now. */
  isLost: boolean;
  /** How many requests are on their way. */
  sending: number;
  /** Of a session that works for this one: what waits for an answer there. */
  askedBelow: { session: string; title: string } | undefined;
  /** Ctrl-C was pressed: once more leaves. */
  isArmed: boolean;
  text: string;
  cursor: number;
  now: number;
  width: number;
  height: number;
};

const TOOLS_SHOWN = 3;
const QUEUED_SHOWN = 3;
const COMMAND_LINES = 6;
/** What only just began needs no line. */
const SHOWN_AFTER_MS = 1_000;

export function region(scene: Scene, paint: Terminal["paint"]): Region {
  const ask = scene.view?.asks[0];
  const above = [
    ...toolLines(scene, paint),
    ...queueLines(scene, paint),
    ...statusLines(scene, paint),
    ...belowLines(scene, paint),
    ...(ask ? card(ask, scene, paint) : []),
  ];
  const { lines, cursor } = promptLines(scene, promptOf(scene));
  // A region higher than the terminal could not be drawn over itself: the upper lines give way.
  const kept = above.slice(-Math.max(0, scene.height - lines.length - 1));
  return {
    lines: [...kept, ...lines.map((line) => paint("bold", line))],
    cursor: { line: kept.length + cursor.line, column: cursor.column },
  };
}

function toolLines({ view, now, width }: Scene, paint: Terminal["paint"]): string[] {
  return runningTools(view)
    .filter(({ startedAt }) => now - Date.parse(startedAt ?? "") >= SHOWN_AFTER_MS)
    .slice(0, TOOLS_SHOWN)
    .map(({ startedAt, draft, ...call }) => {
      const took = elapsed(now - Date.parse(startedAt ?? ""));
      const last = visibleLine(draft.trimEnd().split("\n").at(-1) ?? "");
      const words = [toolWords(call), took, ...(last === "" ? [] : [last])];
      return paint("magenta", cutTo(`⋯ ${words.join(" · ")}`, width));
    });
}

/** What waits is part of the transcript once it is taken up. */
function queueLines({ view, width }: Scene, paint: Terminal["paint"]): string[] {
  if (!view || (!view.turn && !view.held)) return [];
  const lines = view.queue
    .slice(0, QUEUED_SHOWN)
    .map(({ kind, text }) => `  ${kind === "steer" ? "steers" : "queued"}: ${visibleLine(shown(text))}`);
  const more = view.queue.length - QUEUED_SHOWN;
  if (more > 0) lines.push(`  … ${more} more: /queue`);
  return lines.map((line) => paint("cyan", cutTo(line, width)));
}

function belowLines({ askedBelow, width }: Scene, paint: Terminal["paint"]): string[] {
  if (!askedBelow) return [];
  const { session, title } = askedBelow;
  const how = `  ${session} waits for you: /resume ${session}`;
  return [cutTo(`? ${visibleLine(title)}`, width), cutTo(how, width)].map((line) => paint("yellow", line));
}

function runningTools(view: View | null): ToolPart[] {
  const step = view?.messages.findLast((message) => message.kind === "step");
  if (step?.kind !== "step") return [];
  return step.parts.filter((part): part is ToolPart => part.kind === "tool" && part.state === "started");
}

function statusLines(scene: Scene, paint: Terminal["paint"]): string[] {
  const { view, width } = scene;
  const words = statusWords(scene);
  if (words.length === 0) return [];
  const isGivenUp = view?.failed === true && view.turn !== null;
  const isUrgent = scene.isLost || isGivenUp || view?.turn?.stopRequested === true;
  return [paint(isUrgent ? "yellow" : "dim", cutTo(words.join(" · "), width))];
}

function statusWords({ view, asked, isTooLate, isLost, sending, isArmed, mode, now }: Scene): string[] {
  const words: string[] = [];
  if (isLost) words.push("the server is gone; waiting for it to come back");
  else if (sending > 0) words.push("sending");
  const turn = view?.turn;
  if (turn) words.push(turnWords(view, now));
  if (view && view.queue.length > 0)
    words.push(`${view.queue.length} queued${view.held ? ", held: /queue release" : ""}`);
  if (isTooLate) words.push("what you began this line for is closed: it answers nothing else");
  else if (view && view.asks.length > 0 && !asked)
    words.push(`asked after you began this line, which is no answer: Return ${mode}s it`);
  if (turn && view.asks.length === 0 && !turn.stopRequested)
    words.push(`Tab: ${mode === "queue" ? "steer instead of queue" : "queue instead of steer"}`);
  if (isArmed) words.push("Ctrl-C again leaves");
  else if (turn && !turn.stopRequested) words.push("Ctrl-C stops");
  return words;
}

function turnWords({ turn, asks, failed }: View, now: number): string {
  if (!turn) return "";
  if (turn.stopRequested) return "stopping";
  if (asks.length > 0) return "waits for you";
  if (failed) return "failed: send anything to try again";
  if (turn.recovering) return "recovering";
  if (turn.retryAt !== null) return `trying again at ${clock(turn.retryAt, now)}`;
  return `working ${elapsed(now - Date.parse(turn.startedAt))}`;
}

/** Whole seconds: it is drawn once a second. */
function elapsed(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms);
}

/** All that will run, exactly; what can be answered; and what "always" would save. */
function card(ask: OpenAsk, { width, view }: Scene, paint: Terminal["paint"]): string[] {
  const fit = (line: string) => cutTo(line, width);
  const others = (view?.asks.length ?? 1) - 1;
  const more = others > 0 ? ` (and ${count(others, "other")})` : "";
  const lines = [paint("yellow", fit(`? ${visibleLine(ask.title)}${more}`))];
  const command =
    ask.command === undefined ? [] : wrapped(exact(ask.command).replaceAll("\t", "␉"), width - 4);
  for (const line of command.slice(0, COMMAND_LINES)) lines.push(`  ${paint("yellow", `$ ${line}`)}`);
  const details = detailLines(ask.details ?? []).flatMap((line) =>
    wrapped(line.replaceAll("\t", "␉"), width - 2),
  );
  const room = Math.max(0, COMMAND_LINES - command.length);
  for (const line of details.slice(0, room)) lines.push(`  ${line}`);
  const left = Math.max(0, command.length - COMMAND_LINES) + Math.max(0, details.length - room);
  if (left > 0) lines.push(fit(`    … ${count(left, "more line")}: holdfast asks list`));
  if (ask.cwd !== undefined) lines.push(paint("dim", fit(`  in ${visibleLine(ask.cwd)}`)));
  const choices = choiceWords(ask);
  if (choices !== "") lines.push(fit(`  ${choices}`));
  const always = choicesOf(ask).findIndex(({ id }) => ask.kind === "approval" && id === "always");
  const place = ask.cwd === undefined ? "" : ", this directory";
  if (always >= 0)
    lines.push(paint("dim", fit(`  ${always + 1} saves exactly this: the tool, these bytes${place}`)));
  return lines;
}

function promptOf({ view, asked: ask, mode }: Scene): string {
  if (ask) return ask.kind === "approval" ? `1–${choicesOf(ask).length} answers ❯ ` : "answer ❯ ";
  return view?.turn ? `${mode} ❯ ` : "❯ ";
}

/** What is typed, broken into rows by us: the cursor has to be found in them. */
function promptLines({ text, cursor, width, height }: Scene, prompt: string): Region {
  const before = rows(prompt + text.slice(0, cursor), width);
  const lines = rows(prompt + text, width);
  const most = Math.max(1, height - 2);
  const line = before.length - 1;
  const from = Math.max(0, Math.min(line - most + 1, lines.length - most));
  const column = displayWidth(before.at(-1) ?? "");
  return { lines: lines.slice(from, from + most), cursor: { line: line - from, column } };
}

/** The last one has room for the cursor behind it. */
function rows(text: string, width: number): string[] {
  const lines = wrapped(text, width);
  return displayWidth(lines.at(-1) ?? "") >= width ? [...lines, ""] : lines;
}

function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let row = "";
    let used = 0;
    for (const { segment } of graphemes.segment(line)) {
      const wide = displayWidth(segment);
      if (used + wide > width && row !== "") {
        lines.push(row);
        row = "";
        used = 0;
      }
      row += segment;
      used += wide;
    }
    return [...lines, row];
  });
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
