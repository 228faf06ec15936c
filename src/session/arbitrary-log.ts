// For tests: logs that an executor could have written, from a list of numbers that fast-check shrinks.
import { attemptOf } from "./draft.ts";
import type { AnyEvent, NewEvent, Piece } from "./event.ts";
import { formatPosition } from "./position.ts";

/** Each choice picks one of the moves that are possible now. The log begins with `session_created`. */
export function logFrom(choices: readonly number[]): NewEvent[] {
  const log = new LogWriter();
  for (const choice of choices) {
    const moves = log.moves();
    moves[choice % moves.length]?.(choice);
  }
  return log.events;
}

/** As a store would number them. */
export function numbered(events: readonly NewEvent[]): AnyEvent[] {
  let seq = 0;
  let sub = 0;
  return events.map((event, n) => {
    if (event.type === "draft") sub += 1;
    else {
      seq += 1;
      sub = 0;
    }
    const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
    const by = event.type === "input_admitted" ? { person: "owner" } : { executor: "nod_1", epoch: 1 };
    return { position: formatPosition(seq, sub), at, by, ...event };
  });
}

type Open = { step: string; attempt: number; pieces: Piece[]; offsets: number[] };
type Call = { call: string; step: string; started: boolean; said: number };

class LogWriter {
  readonly events: NewEvent[] = [{ type: "session_created", data: { profile: "default", title: "A log" } }];
  #n = 0;
  #queue: { input: string; seq: number }[] = [];
  #turn: string | null = null;
  #step: Open | null = null;
  #calls: Call[] = [];
  #asks: { ask: string; kind: "approval" | "clarify"; call: string }[] = [];
  #processes: string[] = [];

  moves(): ((choice: number) => void)[] {
    const moves = [this.#admit, this.#aside];
    if (this.#queue.length > 0) moves.push(this.#rearrange);
    if (this.#turn === null) {
      if (this.#queue.length > 0) moves.push(this.#startTurn, this.#startTurn);
      return moves;
    }
    if (this.#asks.length > 0) moves.push(this.#settleAsk);
    if (this.#step)
      return [...moves, this.#draft, this.#draft, this.#draft, this.#complete, this.#abort, this.#stop];
    if (this.#free().length > 0) return [...moves, this.#work, this.#work, this.#work, this.#ask];
    if (this.#calls.length > 0) return moves;
    return [...moves, this.#startStep, this.#startStep, this.#endTurn, this.#takeover];
  }

  #id(kind: string): string {
    this.#n += 1;
    return `${kind}_${this.#n}`;
  }

  #facts(): number {
    return this.events.reduce((count, event) => count + (event.type === "draft" ? 0 : 1), 0);
  }

  /** An ask holds its own call. */
  #free(): Call[] {
    return this.#calls.filter(({ call }) => !this.#asks.some((ask) => ask.call === call));
  }

  #admit = (choice: number) => {
    const input = this.#id("inp");
    this.events.push({
      type: "input_admitted",
      data: { input, kind: choice % 5 === 0 ? "steer" : "prompt", text: words(choice) },
    });
    this.#queue.push({ input, seq: this.#facts() });
  };

  #rearrange = (choice: number) => {
    const queued = this.#queue[choice % this.#queue.length]!;
    if (choice % 3 === 0) {
      this.events.push({ type: "input_withdrawn", data: { input: queued.input } });
      this.#queue = this.#queue.filter(({ input }) => input !== queued.input);
    } else if (choice % 3 === 1) {
      this.events.push({
        type: "input_edited",
        data: { input: queued.input, kind: "prompt", text: words(choice + 1) },
      });
      queued.seq = this.#facts();
    } else
      this.events.push({ type: "input_moved", data: { input: queued.input, before: this.#queue[0]!.input } });
  };

  #startTurn = () => {
    const { input, seq } = this.#queue.shift()!;
    this.#turn = this.#id("turn");
    this.events.push({ type: "turn_started", data: { turn: this.#turn, inputs: [input] } });
    this.events.push({
      type: "input_delivered",
      data: { input, turn: this.#turn, from: formatPosition(seq, 0) },
    });
  };

  #startStep = () => this.#attempt(this.#id("step"), 1);

  #attempt(step: string, attempt: number) {
    this.#step = { step, attempt, pieces: [], offsets: [] };
    this.events.push({
      type: "step_started",
      data: { turn: this.#turn!, step, attempt, model: "scripted/one" },
    });
  }

  #draft = (choice: number) => {
    const { step, attempt, pieces, offsets } = this.#step!;
    if (pieces.length === 0 || choice % 7 === 0) {
      pieces.push(newPiece(choice, () => this.#id("call")));
      offsets.push(0);
    }
    const n = pieces.length - 1;
    const piece = pieces[n]!;
    const text = words(choice);
    const kind = piece.type === "call" ? "args" : (piece.type as "text" | "reasoning");
    if (piece.type === "text" || piece.type === "reasoning") piece.text = `${piece.text as string}${text}`;
    this.events.push({
      type: "draft",
      data: { part: `${attemptOf(step, attempt)}/${n}`, kind, offset: offsets[n]!, text },
    });
    offsets[n]! += text.length;
  };

  #complete = (choice: number) => {
    const { step, attempt, pieces } = this.#step!;
    const usage = {
      inputTokens: choice % 1000,
      outputTokens: choice % 100,
      ...(choice % 2 ? { cost: 0.25 } : {}),
    };
    this.events.push({ type: "step_completed", data: { step, attempt, message: pieces, usage } });
    this.#step = null;
    for (const piece of pieces) {
      if (piece.type !== "call") continue;
      this.events.push({
        type: "tool_proposed",
        data: { step, call: piece.call, name: piece.name, args: piece.args, effect: "unsafe" },
      });
      this.#calls.push({ call: piece.call, step, started: false, said: 0 });
    }
  };

  #abort = (choice: number) => {
    const { step, attempt } = this.#step!;
    const retryAt = choice % 2 ? { retryAt: "2026-01-02T00:00:00.000Z" } : {};
    this.events.push({
      type: "step_aborted",
      data: { step, attempt, reason: "the connection was cut", ...retryAt },
    });
    this.#attempt(step, attempt + 1);
  };

  /** With what was said until then, as whoever heard it tells. */
  #stop = () => {
    const { step, attempt, pieces } = this.#step!;
    const texts = pieces.flatMap((piece) => (piece.type === "text" ? [piece.text as string] : []));
    const said = texts.join("\n\n").trim();
    this.#step = null;
    this.events.push(
      { type: "stop_requested", data: { turn: this.#turn! } },
      { type: "step_aborted", data: { step, attempt, reason: "stopped", ...(said !== "" && { said }) } },
    );
    this.events.push({ type: "turn_ended", data: { turn: this.#turn!, outcome: "stopped" } });
    this.#turn = null;
  };

  #work = (choice: number) => {
    const free = this.#free();
    const call = free[choice % free.length]!;
    if (!call.started) {
      call.started = true;
      this.events.push({ type: "tool_started", data: { call: call.call } });
    } else if (choice % 3 !== 0) {
      const text = words(choice).repeat(choice % 20);
      this.events.push({
        type: "draft",
        data: { part: `${call.call}/0`, kind: "output", offset: call.said, text },
      });
      call.said += text.length;
    } else {
      this.events.push({
        type: "tool_finished",
        data: { call: call.call, status: "ok", result: words(choice).repeat(choice % 300), exit: 0 },
      });
      this.#calls = this.#calls.filter((other) => other !== call);
    }
  };

  #ask = (choice: number) => {
    const ask = this.#id("ask");
    const kind = choice % 2 ? "approval" : "clarify";
    const free = this.#free();
    const { call } = free[choice % free.length]!;
    this.events.push({ type: "ask_opened", data: { ask, kind, title: words(choice), call } });
    this.#asks.push({ ask, kind, call });
  };

  #settleAsk = (choice: number) => {
    const { ask, kind } = this.#asks.shift()!;
    if (choice % 2)
      this.events.push({ type: "ask_answered", data: { ask, kind, answer: { choice: "once" } } });
    else this.events.push({ type: "ask_closed", data: { ask, kind, reason: "withdrawn" } });
  };

  #takeover = (choice: number) => {
    this.events.push({ type: "executor_lost", data: { epoch: choice % 9 } });
    if (choice % 2)
      this.events.push({ type: "executor_gave_up", data: { epoch: choice % 9, reason: words(choice) } });
    this.events.push({ type: "executor_recovered", data: { epoch: (choice % 9) + 1, takeover: 1 } });
  };

  #endTurn = (choice: number) => {
    const outcome = (["completed", "failed", "stopped"] as const)[choice % 3]!;
    if (outcome === "stopped")
      this.events.push(
        { type: "stop_requested", data: { turn: this.#turn! } },
        { type: "queue_held", data: { reason: "stopped" } },
      );
    this.events.push({ type: "turn_ended", data: { turn: this.#turn!, outcome } });
    this.#turn = null;
  };

  #aside = (choice: number) => {
    const aside = choice % 6;
    if (aside === 0) this.events.push({ type: "session_titled", data: { title: words(choice) } });
    if (aside === 1) this.events.push({ type: "notice", data: { level: "info", text: words(choice) } });
    if (aside === 2) {
      const process = this.#id("prc");
      this.#processes.push(process);
      this.events.push({
        type: "process_started",
        data: { process, command: words(choice), cwd: "/work", background: true },
      });
    }
    if (aside === 3 && this.#processes.length > 0)
      this.events.push({
        type: "process_exited",
        data: { process: this.#processes.shift()!, exit: choice % 2, cause: "exit" },
      });
    if (aside === 4) this.events.push({ type: "model_changed", data: { model: `scripted/${choice % 3}` } });
    if (aside === 5) this.events.push({ type: "queue_released", data: {} });
  };
}

function newPiece(choice: number, id: () => string): Piece {
  if (choice % 3 === 0) return { type: "call", call: id(), name: "shell", args: { command: words(choice) } };
  return { type: choice % 3 === 1 ? "text" : "reasoning", text: "" };
}

function words(choice: number): string {
  return ["make all", "größer 🌍 ", "a\nlonger line of text, with some words in it. ", "x", "läuft. "][
    choice % 5
  ]!;
}
