// `holdfast chat` on a terminal: the transcript above, what is being typed below, and the session in between, which goes
// on whether we are there or not.
import { createClient, type Client, type NewSession } from "../../client/commands.ts";
import { connect } from "../../client/connect.ts";
import { ProblemError, Unreachable } from "../../client/errors.ts";
import { readSlash } from "../../client/slash.ts";
import type { Socket } from "../../client/socket.ts";
import { readAnswer } from "../../session/answer.ts";
import type { OpenAsk, View } from "../../session/view.ts";
import type { Cli } from "../cli.ts";
import { endingOf } from "../exit.ts";
import type { Style, Terminal } from "../terminal.ts";
import { visibleLine } from "../visible.ts";
import { Transcript } from "../transcript/transcript.ts";
import { Conversation } from "./conversation.ts";
import { LineEditor } from "./line-editor.ts";
import { LiveArea } from "./live-area.ts";
import { region, type Mode } from "./region.ts";
import { refuseUnknown, runSlash } from "./slash.ts";

/** Long enough to sit out a restart of the server, or a laptop's change of networks. */
const PATIENCE_MS = 120_000;
const TICK_MS = 1_000;

export type Beginning = { session: string | undefined; options: Omit<NewSession, "input"> };

/** Until someone leaves. */
export function converse(cli: Cli, beginning: Beginning): Promise<void> {
  return new Promise((resolve, reject) => new Chat(cli, beginning, resolve, reject));
}

/** What slash commands work with. */
export type ChatDesk = {
  readonly cli: Cli;
  readonly client: Client;
  readonly session: string | undefined;
  readonly view: View | null;
  print(text: string, style?: Style): void;
  /** Sends it to the session, or begins one with it; it answers nothing. */
  send(text: string, kind: "prompt" | "steer"): Promise<void>;
  answer(ask: OpenAsk, line: string): Promise<boolean>;
  stop(): Promise<void>;
  /** Turns to another session; without one the next line begins a new one. */
  turnTo(session: string | undefined): void;
};

/** What was asked, if anything, when the line's first key was pressed. It answers that or nothing. */
type Begun = { ask: OpenAsk | undefined };

class Chat implements ChatDesk {
  readonly cli: Cli;
  readonly client: Client;
  readonly #options: Beginning["options"];
  readonly #socket: Socket;
  readonly #area: LiveArea;
  readonly #editor: LineEditor;
  readonly #terminal: Terminal;
  readonly #conversation: Conversation;
  readonly #ticking: NodeJS.Timeout;
  readonly #left: () => void;
  readonly #failed: (error: Error) => void;
  #mode: Mode = "queue";
  #begun: Begun | undefined;
  /** All that are open, in whichever session. */
  readonly #asks = new Map<string, { session: string; title: string }>();
  #sending = 0;
  #delivered: Promise<void> = Promise.resolve();
  /** Ctrl-C was pressed, in this turn or in none: once more leaves. */
  #armed: { turn: string | undefined } | undefined;
  #isOver = false;

  constructor(cli: Cli, { session, options }: Beginning, left: () => void, failed: (error: Error) => void) {
    this.cli = cli;
    this.#options = options;
    this.#left = left;
    this.#failed = failed;
    const { url, token } = cli.address;
    this.client = createClient({ url, token, patienceMs: PATIENCE_MS });
    this.#socket = connect(this.client);
    this.#area = new LiveArea(cli.terminal.stdout, () => this.#region());
    this.#terminal = { ...cli.terminal, write: (text) => this.#area.write(text) };
    this.#editor = new LineEditor(cli.stdin, cli.terminal.stdout, {
      line: (text) => this.#take(text),
      changed: () => this.#typed(),
      tab: () => this.#toggle(),
      interrupt: () => this.#interrupt(),
      end: () => this.#leave(),
    });
    this.#conversation = new Conversation(
      this.#socket,
      () => new Transcript(this.#terminal, cli.now, "when taken up"),
      {
        changed: () => this.#area.refresh(),
        failed: (error) => this.#end(() => this.#failed(error)),
      },
    );
    this.#socket.onConnection((connection) => {
      if (connection.state === "refused")
        return this.#end(() => this.#failed(new ProblemError(connection.problem)));
      this.#area.refresh();
    });
    this.#socket.watchAsks(({ rows, gone = [], whole }) => {
      if (whole) this.#asks.clear();
      for (const { id, session: asking, title } of rows) this.#asks.set(id, { session: asking, title });
      for (const id of gone) this.#asks.delete(id);
      this.#area.refresh();
    });
    this.#ticking = setInterval(() => {
      if (this.view?.turn) this.#area.refresh(); // the seconds go by
    }, TICK_MS);
    if (session !== undefined) this.turnTo(session);
    else this.print("A new session begins with what you type. /help says what else there is.", "dim");
  }

  get session(): string | undefined {
    return this.#conversation.session;
  }

  get view(): View | null {
    return this.#conversation.view;
  }

  print(text: string, style?: Style): void {
    this.#area.write(`${style ? this.cli.terminal.paint(style, text) : text}\n`);
  }

  async send(text: string, kind: "prompt" | "steer"): Promise<void> {
    const { session } = this;
    if (session !== undefined)
      return void (await this.client.admitInput(session, { kind, text, answers: null }));
    const { id } = await this.client.createSession({ ...this.#options, input: { kind: "prompt", text } });
    if (this.#isOver) return;
    this.#conversation.begin(id);
    this.#followed();
  }

  /** False when the line is none. Another's answer that was first is no failure: the transcript tells it. */
  async answer({ ask, ...question }: OpenAsk, line: string): Promise<boolean> {
    const answer = readAnswer(question, line);
    if (!answer) return false;
    try {
      await this.client.answerAsk(ask, answer);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status !== 409) throw error;
      const words = answer.text === undefined ? "Nothing else was answered." : this.#giveBack(answer.text);
      this.print(`${error.problem.detail} ${words}`, "yellow");
    }
    return true;
  }

  async stop(): Promise<void> {
    const stopped = this.session === undefined ? undefined : await this.client.stop(this.session);
    if (!stopped?.stopped) this.print("Nothing runs.", "dim");
  }

  turnTo(session: string | undefined): void {
    if (session === undefined) this.#conversation.forget();
    else this.#conversation.follow(session);
    this.#followed();
  }

  #followed(): void {
    if (this.#begun !== undefined) this.#begun = { ask: undefined }; // nothing of this one was seen yet
    this.#area.refresh();
  }

  /** What was typed goes out in its order, each line for what stood there when it was typed. */
  #take(typed: string): void {
    this.#armed = undefined;
    this.#area.refresh();
    if (typed.trim() === "") return;
    const ask = this.#begun?.ask; // even if it is closed by now: the server says by whom
    const kind = this.view?.turn ? KINDS[this.#mode] : "prompt";
    this.#sending += 1;
    this.#delivered = this.#delivered.then(() => this.#deliver(typed, ask, kind));
  }

  /** It is put back when it could not be delivered. */
  async #deliver(typed: string, ask: OpenAsk | undefined, kind: "prompt" | "steer"): Promise<void> {
    const read = readSlash(typed);
    try {
      if (read.type === "command") {
        this.#conversation.end();
        this.print(`❯ ${visibleLine(typed)}`, "dim"); // else nobody would know what the next lines answer
        return await runSlash(this, read, ask);
      }
      if (read.type === "unknown") return refuseUnknown(read.name);
      const text = read.text.trim();
      if (ask && (await this.answer(ask, text))) return;
      await this.send(text, kind);
    } catch (error) {
      this.#explain(error, typed, ask);
    } finally {
      this.#sending -= 1;
      this.#area.refresh();
    }
  }

  #explain(error: unknown, typed = "", ask?: OpenAsk): void {
    const ending = endingOf(error);
    if (!ending) return this.#end(() => this.#failed(error as Error)); // a surprise: not to be gone on from
    this.print(ending.line, "red");
    if (!(error instanceof Unreachable) || this.#editor.text !== "") return;
    this.#editor.put(typed);
    this.#begun = { ask };
  }

  /** Words for an ask that is closed: what else is asked they were not for. A line that was begun meanwhile stays. */
  #giveBack(words: string): string {
    if (this.#isOver || this.#editor.text !== "") return "Your words come back with the Up key.";
    this.#editor.put(words);
    this.#begun = { ask: undefined };
    return "Your words are back in the line.";
  }

  #typed(): void {
    if (this.#editor.text === "") this.#begun = undefined;
    else {
      this.#armed = undefined;
      this.#begun ??= { ask: this.view?.asks[0] };
    }
    this.#area.refresh();
  }

  /** What Return answers, of what is open: never something else than was asked when the line was begun. */
  #asked(): OpenAsk | undefined {
    const ask = this.view?.asks[0];
    return !this.#begun || this.#begun.ask?.ask === ask?.ask ? ask : undefined;
  }

  /** It holds the turn here as well, which else seems to work for ever. */
  #askedBelow(): { session: string; title: string } | undefined {
    const workers = new Set(this.view?.delegates.map(({ session }) => session));
    return this.#asks.values().find(({ session }) => workers.has(session));
  }

  #toggle(): void {
    if (this.view?.turn) this.#mode = this.#mode === "queue" ? "steer" : "queue";
  }

  /** One that clears a line does nothing else. The next stops what runs; the one after that leaves. */
  #interrupt(): void {
    if (this.#editor.text !== "") return this.#editor.put("");
    if (this.#isArmed) return this.#leave();
    const turn = this.view?.turn;
    this.#armed = { turn: turn?.id };
    if (turn) this.stop().catch((error: unknown) => this.#explain(error));
    this.#area.refresh();
  }

  /** Not for a turn that began since: whoever means to stop it must not leave it running. */
  get #isArmed(): boolean {
    if (!this.#armed) return false;
    const turn = this.view?.turn;
    return !turn || turn.id === this.#armed.turn;
  }

  #leave(): void {
    this.#end(this.#left);
  }

  #end(then: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { session, view } = this;
    clearInterval(this.#ticking);
    this.#conversation.leave();
    if (session !== undefined) {
      if (view?.turn) this.print("It goes on without you.", "dim");
      this.print(`Come back with: holdfast chat ${session}`, "dim"); // a line of its own, to be copied
    }
    this.#socket.close();
    this.#editor.close();
    this.#area.close();
    then();
  }

  #region() {
    const { text, cursor } = this.#editor;
    const { state } = this.#socket.connection;
    const { terminal, now } = this.cli;
    return region(
      {
        view: this.view,
        asked: this.#asked(),
        isTooLate: this.#begun?.ask !== undefined && !this.#asked(),
        mode: this.#mode,
        isLost: state === "reconnecting" || state === "offline",
        sending: this.#sending,
        askedBelow: this.#askedBelow(),
        isArmed: this.#isArmed,
        text,
        cursor,
        now: now(),
        width: terminal.stdout.columns || USUAL_COLUMNS,
        height: terminal.stdout.rows || USUAL_ROWS,
      },
      (style, words) => terminal.paint(style, words),
    );
  }
}

const KINDS = { queue: "prompt", steer: "steer" } as const;
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;
