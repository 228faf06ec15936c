import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply } from "./apply.ts";
import { applyContext, emptyContext } from "./context.ts";
import type { AnyEvent, NewEvent, NewFact, Piece } from "./event.ts";
import { answerFacts, failFacts, nextStep, startFacts, stopFacts, type NextStep } from "./next-step.ts";
import { formatPosition, seqOf } from "./position.ts";
import { emptyView } from "./view.ts";

const MODEL = "scripted/one";

/** A log, an executor that only follows nextStep, and a world that fails, dies and answers as chance has it. */
class World {
  readonly view = emptyView();
  readonly log: AnyEvent[] = [];
  now = 0;
  reached = new Set<string>();

  constructor(inputs: number) {
    this.append({ type: "session_created", data: { profile: "default" } });
    for (let n = 0; n < inputs; n++)
      this.append({ type: "input_admitted", data: { input: `inp_${n}`, kind: "prompt", text: `do ${n}` } });
  }

  append(...events: NewEvent[]): void {
    for (const event of events) {
      const [seq, sub] =
        event.type === "draft" ? [seqOf(this.view.position), 1] : [seqOf(this.view.position) + 1, 0];
      const stamped = {
        position: formatPosition(seq, sub),
        at: this.time(),
        by: { executor: "nod_1", epoch: 1 },
        ...event,
      };
      if (apply(this.view, stamped).outcome !== "applied") throw new Error(`${event.type} does not follow`);
      this.log.push(stamped);
    }
  }

  time(): string {
    return new Date(this.now).toISOString();
  }

  ask(): NextStep {
    return nextStep(this.view, MODEL, this.time());
  }

  /** One move of the executor; `chance` decides how the world answers. */
  move(chance: number): void {
    const next = this.ask();
    this.reached.add(next.do);
    switch (next.do) {
      case "rest":
        return;
      case "record":
        return this.append(...next.facts);
      case "wait":
        return this.wake(next, chance);
      case "call_model":
        this.append(...next.facts);
        return this.answerAsModel(next.step, next.attempt, chance);
      case "compact":
        if (chance % 3 === 0)
          return this.append({ type: "stop_requested", data: { turn: this.view.turn!.id } });
        return this.append({
          type: "context_compacted",
          data: { summary: "in short", covers: this.view.position, method: "fallback" },
        });
      case "run_tools":
        return next.calls.forEach((call, n) => this.work(call.call, call.name, call.state, chance + n));
      case "stop":
        return this.append(...next.facts);
    }
  }

  wake(next: Extract<NextStep, { do: "wait" }>, chance: number): void {
    if (next.until !== null) {
      this.now = Date.parse(next.until);
      return;
    }
    const ask = this.view.asks[0];
    if (!ask) throw new Error("it waits for nothing");
    if (chance % 7 === 0) return this.append({ type: "stop_requested", data: { turn: this.view.turn!.id } });
    this.append({
      type: "ask_answered",
      data: { ask: ask.ask, kind: ask.kind, answer: { choice: "once" } },
    });
  }

  answerAsModel(step: string, attempt: number, chance: number): void {
    if (chance % 11 === 0) {
      this.reached.add("died");
      return this.append({
        type: "executor_recovered",
        data: { epoch: 2, takeover: this.view.turn!.takeovers + 1 },
      });
    }
    if (chance % 19 === 0)
      return this.append(
        { type: "step_aborted", data: { step, attempt, reason: "context_too_long" } },
        { type: "compaction_started", data: { covers: this.view.position } },
      );
    if (chance % 5 === 0) {
      const retryAt = new Date(this.now + 2000).toISOString();
      return this.append({ type: "step_aborted", data: { step, attempt, reason: "overloaded", retryAt } });
    }
    if (chance % 13 === 0)
      this.append({
        type: "input_admitted",
        data: { input: `inp_s${this.log.length}`, kind: "steer", text: "rather so" },
      });
    if (chance % 17 === 0) this.append({ type: "stop_requested", data: { turn: this.view.turn!.id } });
    const message: Piece[] = [{ type: "text", text: "hm" }];
    const calls = this.view.turn!.steps > 4 ? 0 : chance % 3;
    for (let n = 0; n < calls; n++)
      message.push({ type: "call", call: `${step}c${n}`, name: "shell", args: {} });
    this.complete(step, attempt, message);
  }

  /** What an answer says of its turn's end is what the executor would say of it next. */
  complete(step: string, attempt: number, message: Piece[]): void {
    const usage = { inputTokens: 3, outputTokens: 2, cost: 0.5 };
    const answer = { type: "step_completed" as const, data: { step, attempt, message, usage } };
    const [, end] = answerFacts(this.view, answer);
    this.append(answer);
    const next = this.ask();
    const said = next.do === "record" ? next.facts[0] : undefined;
    if (!isDeepStrictEqual(end, said)) throw new Error(`${JSON.stringify(end)} is not what comes next`);
    this.reached.add(end ? "answered with its end" : "answered without");
  }

  work(call: string, name: string, state: string, chance: number): void {
    if (this.view.asks.some((ask) => ask.call === call)) return;
    if (state === "called") {
      const facts: NewFact[] = [
        { type: "tool_proposed", data: { step: "s", call, name, args: {}, effect: "unsafe" } },
      ];
      if (chance % 4 === 0)
        facts.push({
          type: "ask_opened",
          data: { ask: `ask_${call}`, kind: "approval", title: "may I", call },
        });
      return this.append(...facts);
    }
    if (state === "proposed") return this.append({ type: "tool_started", data: { call } });
    this.append({ type: "tool_finished", data: { call, status: "ok", result: "done" } });
  }
}

const chances = fc.infiniteStream(fc.nat({ max: 10_000 }));

describe("what to do next", () => {
  it("leads every input to the end of its turn, through failures, deaths, asks and stops", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), chances, (inputs, chance) => {
        const world = new World(inputs);
        for (let n = 0; n < 2000; n++) {
          if (world.ask().do === "rest") {
            if (!world.view.held) break;
            world.append({ type: "queue_released", data: {} });
          }
          world.move(chance.next().value);
        }
        expect(world.ask()).toEqual({ do: "rest" });
        expect(world.view).toMatchObject({ turn: null, queue: [], asks: [], held: false, compacting: false });
        const started = world.log.filter(({ type }) => type === "turn_started").length;
        expect(world.log.filter(({ type }) => type === "turn_ended")).toHaveLength(started);
        expect(started).toBeGreaterThanOrEqual(inputs);
        for (const what of world.reached) reached.add(what);
      }),
      { numRuns: 300 },
    );
    expect([...reached].toSorted()).toEqual([
      "answered with its end",
      "answered without",
      "call_model",
      "compact",
      "died",
      "record",
      "run_tools",
      "stop",
      "wait",
    ]);
  });

  it("never lets the model hear of a call without its result", () => {
    fc.assert(
      fc.property(chances, (chance) => {
        const world = new World(2);
        const context = emptyContext();
        let heard = 0;
        for (let n = 0; n < 300 && world.ask().do !== "rest"; n++) {
          const next = world.ask();
          const from = world.log.length;
          world.move(chance.next().value);
          expect(next.do === "call_model" ? context.calls.size : 0).toBe(0);
          for (const event of world.log.slice(heard)) applyContext(context, event);
          heard = world.log.length;
          expect(heard).toBeGreaterThanOrEqual(from);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is the same for two executors that recover the same log", () => {
    fc.assert(
      fc.property(chances, (chance) => {
        const world = new World(2);
        for (let n = 0; n < 60; n++) {
          const again = emptyView();
          for (const event of world.log) apply(again, event);
          expect(nextStep(again, MODEL, world.time())).toEqual(world.ask());
          world.move(chance.next().value);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("ends the turn of a step that was taken over more than three times, with the reason", () => {
    const world = new World(1);
    for (let n = 0; n < 50 && world.view.failed === false; n++) world.move(11); // the world that always dies
    expect(world.log.at(-1)).toMatchObject({
      type: "turn_ended",
      data: { outcome: "failed", error: { code: "crash_loop" } },
    });
    expect(world.log.filter(({ type }) => type === "executor_recovered")).toHaveLength(4);
  });

  it("says of each call of a turn that ends what is known of it: that it never began, or that it may have taken effect", () => {
    const world = new World(1);
    const begin = world.ask() as Extract<NextStep, { do: "call_model" }>;
    world.append(...begin.facts);
    const { step } = begin;
    const effects = { looks: "read", writes: "idempotent", waits: "unsafe" } as const;
    const calls = Object.entries(effects);
    const message = calls.map(([call]): Piece => ({ type: "call", call, name: call, args: {} }));
    world.append({ type: "step_completed", data: { step, attempt: 1, message } });
    for (const [call, effect] of calls)
      world.append({ type: "tool_proposed", data: { step, call, name: call, args: {}, effect } });
    world.append({ type: "tool_started", data: { call: "looks" } });
    world.append({ type: "tool_started", data: { call: "writes" } });
    const turn = world.view.turn!.id;
    const told = (facts: readonly NewFact[]) =>
      facts.flatMap((fact) => (fact.type === "tool_finished" ? [fact.data] : []));
    expect(told(failFacts(world.view, turn, "internal", "It failed."))).toMatchObject([
      { call: "looks", status: "unknown", result: expect.stringContaining("not known") },
      { call: "writes", status: "unknown", result: expect.stringContaining("not known") },
      { call: "waits", status: "error", result: expect.stringContaining("Nothing was done") },
    ]);
    expect(told(stopFacts(world.view, turn))).toMatchObject([
      { call: "looks", status: "stopped", result: "Stopped by a person." },
      { call: "writes", status: "stopped", result: expect.stringContaining("may have taken effect") },
      { call: "waits", status: "stopped", result: expect.stringContaining("Nothing was done") },
    ]);
  });

  it("holds the queue after a stop, but not for a prompt that was sent to stop and go on", () => {
    for (const delivery of ["queue", "now"] as const) {
      const world = new World(1);
      world.append(...(world.ask() as { facts: NewFact[] }).facts);
      const { turn } = world.view;
      world.append({ type: "input_admitted", data: { input: "next", kind: "prompt", text: "b", delivery } });
      world.append({ type: "stop_requested", data: { turn: turn!.id } });
      world.move(1);
      expect(world.view.held).toBe(delivery === "queue");
      expect(world.ask().do).toBe(delivery === "queue" ? "rest" : "call_model");
    }
  });

  it("lets a steer in before the next model call, and at the head of the queue when the turn ended first", () => {
    const world = new World(2);
    world.append(...startFacts(world.view)); // the turn of inp_0 begins, and its executor dies
    world.append({ type: "input_admitted", data: { input: "rather", kind: "steer", text: "rather so" } });
    const next = world.ask();
    expect(next).toMatchObject({
      do: "call_model",
      facts: [{ type: "input_delivered", data: { input: "rather" } }, { type: "step_started" }],
    });

    const late = new World(2);
    late.append({ type: "input_admitted", data: { input: "late", kind: "steer", text: "too late" } });
    expect(late.ask()).toMatchObject({
      do: "call_model",
      facts: [{ type: "session_titled" }, { data: { inputs: ["late"] } }, {}, { type: "step_started" }],
    });
  });
});

describe("a session without a title", () => {
  it.each([
    ["Fix the build", "Fix the build"],
    ["\n  Fix it \nand then more", "Fix it"],
    ["a\0b\ud800c", "ab\ufffdc"],
    ["x".repeat(70), `${"x".repeat(59)}…`],
    [`${"x".repeat(58)}😀 and more`, `${"x".repeat(58)}…`],
  ])("is named after its first input %j", (text, title) => {
    const world = new World(0);
    world.append({ type: "input_admitted", data: { input: "inp_a", kind: "prompt", text } });
    world.move(0);
    expect(world.view.meta.title).toBe(title);
  });

  it("keeps a title that someone gave it", () => {
    const world = new World(1);
    world.append({ type: "session_titled", data: { title: "Mine" } });
    world.move(0);
    expect(world.view.meta.title).toBe("Mine");
  });
});

describe("a turn with delegates", () => {
  const delegating = (background: boolean): World => {
    const world = new World(1);
    const next = world.ask();
    if (next.do !== "call_model") throw new Error(`it should call the model, not ${next.do}`);
    const call: Piece = { type: "call", call: "c1", name: "delegate", args: {} };
    world.append(
      ...next.facts,
      { type: "step_completed", data: { step: next.step, attempt: next.attempt, message: [call] } },
      {
        type: "tool_proposed",
        data: { step: next.step, call: "c1", name: "delegate", args: {}, effect: "idempotent" },
      },
      { type: "tool_started", data: { call: "c1" } },
      { type: "delegated", data: { session: "ses_child", call: "c1", background } },
    );
    return world;
  };

  it("waits for one in the foreground, and leaves none open when a person stops it", () => {
    const world = delegating(false);
    expect(world.ask()).toMatchObject({ do: "wait", asks: [] });
    world.append({ type: "stop_requested", data: { turn: world.view.turn!.id } });
    world.move(0);
    expect(world.view).toMatchObject({ turn: null, delegates: [] });
  });

  it("that is stopped leaves those in the background to their work", () => {
    const world = delegating(true);
    world.append({ type: "stop_requested", data: { turn: world.view.turn!.id } });
    world.move(0);
    expect(world.view).toMatchObject({ turn: null, delegates: [{ session: "ses_child" }] });
  });
});
