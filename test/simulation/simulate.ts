// One seed, from beginning to end: a storm in which people send, steer, stop and answer while all kinds of things go
// wrong; then a calm in which everything must come to rest by itself, and with its last answers to an end.
import { nextStep, type NextStep } from "../../src/session/next-step.ts";
import { failedTurn } from "../../src/session/retry.ts";
import type { View } from "../../src/session/view.ts";
import { drawRates, NO_FAULTS, type Rates } from "./faults.ts";
import { checkHistory } from "./history.ts";
import { Ledger } from "./ledger.ts";
import { MemoryStore } from "./memory-store.ts";
import { LEASE_MS, LIMITS, MODEL, Node, type Surroundings } from "./node.ts";
import { Person, type Act } from "./persons.ts";
import { drawProgram, isService, promptText } from "./program.ts";
import { ProcessTable } from "./process-table.ts";
import { Reached } from "./reached.ts";
import { noteEnds } from "./sights-of-ends.ts";
import { noteSights } from "./sights.ts";
import { World, type Life } from "./world.ts";

export type Run = {
  reached: Reached;
  happened: number;
  /** What must not be, and the story that led there. */
  fault: string | undefined;
  trace: readonly string[];
};

const DAY_MS = 24 * 3600_000;
/** Longer than any wait in it: a retry's last time, a lease, a command. */
const REST_WITHIN_MS = 20 * 60_000;
/** Far longer than anything waits, and than the time in which all comes to rest. */
const BACK_MAX_MS = 6 * 3600_000;
const SLICE_MS = 500;
const QUIET_MS = 30_000;

export async function simulate(seed: number, traced = false): Promise<Run> {
  const simulation = new Simulation(seed, traced);
  const unhandled = (error: unknown) =>
    simulation.world.fail(
      new Error(`nobody handled: ${error instanceof Error ? error.stack : String(error)}`),
    );
  process.on("unhandledRejection", unhandled);
  try {
    await simulation.storm();
    await simulation.calm();
    return simulation.run(undefined);
  } catch (error) {
    return simulation.run(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    process.off("unhandledRejection", unhandled);
  }
}

class Simulation {
  readonly world: World;
  readonly #memory: MemoryStore;
  readonly #ledger = new Ledger();
  readonly #reached = new Reached();
  readonly #around: Surroundings;
  readonly #nodes: Node[];
  readonly #persons: Person[];
  readonly #views = new Map<string, View>();
  #rates: Rates;

  constructor(seed: number, traced: boolean) {
    this.world = new World(seed, traced);
    const { world } = this;
    const { chance } = world;
    this.#rates = drawRates(chance);
    this.#memory = new MemoryStore(world.now);
    this.#around = {
      world,
      memory: this.#memory,
      table: new ProcessTable(world),
      ledger: this.#ledger,
      reached: this.#reached,
      rates: () => this.#rates,
      approvals: chance.pick(["ask", "auto"]),
      saved: [],
      maxTurns: chance.whole(1, 4),
      askExpiryMs: chance.pick([undefined, undefined, 20_000, 90_000]),
    };
    this.#around.table.onEnd = (id) => {
      if (!this.#nodes?.some((node) => node.isUp)) this.#ledger.unseenEnds.add(id);
    };
    world.strike = (life) => this.#strike(life);
    this.#nodes = Array.from({ length: chance.whole(1, 3) }, (_, n) => new Node(this.#around, `n${n + 1}`));
    this.#persons = ["anna", "ben"].map((name) => new Person(this.#around, name));
  }

  run(fault: string | undefined): Run {
    const { trace = [], happened } = this.world;
    return { reached: this.#reached, happened, fault, trace: [...trace, ...this.#logLines()] };
  }

  async storm(): Promise<void> {
    const { world } = this;
    const { chance } = world;
    for (let n = chance.whole(1, 3); n > 0; n--) {
      const id = `ses_${n}`;
      const text = promptText(drawProgram(chance));
      this.#memory.createSession(
        {
          id,
          profile: "default",
          first: [{ type: "input_admitted", data: { input: `inp_${id}`, kind: "prompt", text } }],
        },
        { person: "anna" },
      );
    }
    let busy = 0;
    for (let n = chance.whole(2, 12); n > 0; n--) {
      const act = chance.pick(ACTS);
      // Answers come from both at once, so that one of them is too late.
      const who = act === "answer" && chance.happens(0.3) ? this.#persons : [chance.pick(this.#persons)];
      const atMs = chance.between(0, 90_000);
      for (const person of who) {
        busy += 1;
        world.after(atMs, undefined, `a person means to ${act}`, () => {
          const session = this.#choose(act);
          if (session === undefined) return void (busy -= 1);
          void person.act(session, act).finally(() => (busy -= 1));
        });
      }
    }
    const endMs = chance.between(60_000, 240_000);
    await world.run(endMs, () => false);
    this.#rates = NO_FAULTS;
    this.#around.table.calm();
    world.say("the world", "CALM");
    await this.#until("people have their say", () => busy === 0);
  }

  /** Any; to go back, rather one that has given work to others; to retry, one that failed. */
  #choose(act: Act): string | undefined {
    const { chance } = this.world;
    const all = this.#sessions();
    const given = all.filter((id) => {
      const view = this.#view(id);
      return view && !view.turn && !view.ended && view.delegates.length > 0;
    });
    if (act === "go back" && given.length > 0) return chance.pick(given);
    const failed = act === "retry" ? all.filter((id) => this.#hasFailed(id)) : [];
    if (failed.length > 0) return chance.pick(failed);
    return all.length === 0 ? undefined : chance.pick(all);
  }

  #hasFailed(id: string): boolean {
    const view = this.#view(id);
    return view !== undefined && failedTurn(view) !== undefined;
  }

  /** Without any help, then with answers; nothing may be left that would still have something to do. */
  async calm(): Promise<void> {
    await this.#until(
      "every session rests or waits for a person",
      () => this.#isNothingComing() && this.#sessions().every((id) => this.#isAtRest(id)),
    );
    await this.#leftAlone();
    await this.#untilIdle();
    await this.#untilEnded();
    const doneAt = this.world.now();
    await this.#untilStopped();
    checkHistory(this.#around, doneAt);
    noteSights(this.#reached, this.#memory, this.#ledger);
    noteEnds(this.#reached, this.#memory, this.#ledger);
  }

  #isAtRest(id: string): boolean {
    const next = this.#next(id);
    if (!next || this.#view(id)?.turn?.stopRequested) return false;
    return next.do === "rest" || (next.do === "wait" && next.until === null);
  }

  /** No ask is about to expire, and no command to end by itself. */
  #isNothingComing(): boolean {
    const soon = this.world.now() + 4 * QUIET_MS;
    const { timers, processes } = this.#memory.rows;
    if (timers.values().some(({ dueAt }) => Date.parse(dueAt) <= soon)) return false;
    const { table } = this.#around;
    return processes.values().every(({ id, status, command, background }) => {
      if (status !== "running" || isService(command)) return true;
      return !background && table.get(id)?.state !== "running"; // of what a turn left it is told when the turn is over
    });
  }

  /** What runs for ever is asked to end, as a person would. */
  async #untilEnded(): Promise<void> {
    const { rows } = this.#memory;
    for (const { id, session } of rows.processes.values())
      // Else its deletion has asked for that; if it resisted, a person asks again.
      if (this.#memory.logs.has(session) || this.#ledger.unstopped.has(id))
        rows.request({ id: `req_${id}`, process: id, wish: { do: "stop" } });
    await this.#until("every process has ended", () =>
      rows.processes.values().every(({ status }) => status !== "running"),
    );
    await this.#untilIdle(); // an end that was told may have been waited for
    await this.#until("no timer is due", () =>
      rows.timers.values().every(({ dueAt }) => Date.parse(dueAt) > this.world.now()),
    );
  }

  /** What rests costs nothing: nobody takes it up again and again. */
  async #leftAlone(): Promise<void> {
    const epochs = () => this.#sessions().map((id) => `${id} ${this.#memory.logs.get(id)?.epoch}`);
    await this.#until("every node is there", () => this.#nodes.every((node) => node.isUp));
    await this.world.run(QUIET_MS, () => false); // whoever still has to look once does
    const before = epochs();
    await this.world.run(QUIET_MS, () => false);
    if (epochs().join() !== before.join())
      throw new Error(`what rested was taken up again: ${before.join()} → ${epochs().join()}`);
  }

  /** Every question is answered and every queue released, until nothing is left. */
  async #untilIdle(): Promise<void> {
    const [anna] = this.#persons;
    let busy = 0;
    await this.#until("every session is idle", () => {
      let idle = true;
      for (const id of this.#sessions()) {
        const view = this.#view(id);
        if (view?.ended) continue;
        const settled = view && !view.turn && view.queue.length === 0 && this.#next(id);
        if (settled) continue;
        idle = false;
        if (busy > 0 || !view || !anna) continue;
        const act = view.asks.length > 0 ? "answer" : view.held ? "release" : undefined;
        if (!act) continue;
        busy += 1;
        void anna.act(id, act).finally(() => (busy -= 1));
      }
      return idle && busy === 0;
    });
  }

  /** A stopped executor has let go of everything: no timer of its goes off, no wake reaches it. */
  async #untilStopped(): Promise<void> {
    await this.#until("every node is there", () => this.#nodes.every((node) => node.isUp));
    let stopped = 0;
    for (const node of this.#nodes) void node.stop().then(() => (stopped += 1));
    await this.#until("every node has stopped", () => stopped === this.#nodes.length);
    await this.world.run(QUIET_MS, () => false); // what was on its way arrives
    const { lived } = this.world;
    for (const listener of this.#memory.listeners) for (const id of this.#sessions()) listener(id);
    await this.world.run(QUIET_MS, () => false);
    if (this.world.lived > lived) throw new Error("a stopped executor still did something");
  }

  #sessions(): string[] {
    return [...this.#memory.logs.keys()];
  }

  /** What is to do, when nobody is at it. */
  #next(id: string): NextStep | undefined {
    const log = this.#memory.logs.get(id);
    if (log?.holder !== null && !log?.closed) return undefined; // nobody works on one that has ended
    const view = this.#view(id);
    return view && nextStep(view, MODEL, new Date(this.world.now()).toISOString(), LIMITS);
  }

  /** Folded once for each position: it is looked at far more often than it changes. */
  #view(id: string): View | undefined {
    const position = this.#memory.head(id)?.position;
    const known = this.#views.get(id);
    if (known?.position === position) return known;
    const view = this.#memory.view(id);
    if (view) this.#views.set(id, view);
    return view;
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    for (let ms = 0; ms < REST_WITHIN_MS; ms += SLICE_MS) {
      if (holds()) return;
      await this.world.run(SLICE_MS, () => false);
    }
    const left = this.#sessions().map((id) => `${id}: ${JSON.stringify(this.#next(id) ?? "is held")}`);
    throw new Error(
      `in ${REST_WITHIN_MS / 60_000} calm minutes it did not come to this: ${what}\n${left.join("\n")}`,
    );
  }

  #strike(life: Life): void {
    const { world } = this;
    const { chance } = world;
    const { kill, pause, shutdown, processLost, clockJump, clockBack } = this.#rates;
    const node = this.#nodes?.find((each) => each.life === life);
    if (!node) return;
    if (chance.happens(kill)) return node.kill();
    if (chance.happens(pause)) return node.pause(chance.between(0.5, 5) * LEASE_MS);
    if (chance.happens(shutdown)) return node.shutDown();
    if (chance.happens(clockJump)) {
      this.#reached.note("the clock jumped a day");
      this.#ledger.clockJumped = true;
      world.jump(DAY_MS);
    }
    if (chance.happens(clockBack)) {
      this.#reached.note("the clock was set back");
      this.#ledger.clockJumped = true;
      this.#ledger.clockWentBack = true;
      world.jump(-chance.whole(1_000, BACK_MAX_MS));
    }
    const running = this.#around.table.running();
    if (running.length > 0 && chance.happens(processLost)) {
      const lost = chance.pick(running);
      world.say("the world", `${lost} IS LOST`);
      this.#around.table.lose(lost);
    }
  }

  #logLines(): string[] {
    if (!this.world.trace) return [];
    return [...this.#memory.logs].flatMap(([id, { stored }]) => [
      `--- ${id}`,
      ...stored.map(({ text }) => {
        const { position, by, type, data, at } = JSON.parse(text) as Record<string, unknown>;
        return `${String(position).slice(12, 16)}_${String(position).slice(-3)} ${String(at).slice(5, 23)} ${Object.values(by as object).join("/")} ${String(type)} ${JSON.stringify(data).slice(0, 200)}`;
      }),
    ]);
  }
}

const ACTS: readonly Act[] = [
  "prompt",
  "prompt",
  "prompt now",
  "steer",
  "steer",
  "stop",
  "stop",
  "stop",
  "stop",
  "answer",
  "answer",
  "answer",
  "edit",
  "move",
  "withdraw",
  "release",
  "retry",
  "retry",
  "delete",
  "delete",
  "go back",
  "go back",
];
