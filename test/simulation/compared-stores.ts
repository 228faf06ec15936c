// A real store and the simulation's, done the same to and held against each other.
import { expect } from "vitest";
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition, seqOf, START, type Position } from "../../src/session/position.ts";
import { statusOf } from "../../src/session/row.ts";
import type { Command, Lease, ProcessRow, Store, Writer } from "../../src/store/store.ts";
import type { TestClock } from "../contract/stores.ts";
import { Chance } from "./chance.ts";
import type { MemoryStore } from "./memory-store.ts";

const TTL_MS = 10_000;
const owner = { person: "owner" };
const MOVES =
  "append append append append append append claim claim claim create lease wait delete succeed".split(" ");
const PROCESSES = ["prc_1", "prc_2", "prc_3"];

/** One round: two sessions, and whatever chance does to them. */
export class ComparedStores {
  readonly #real: Store;
  readonly #memory: MemoryStore;
  readonly #clock: TestClock;
  readonly #chance: Chance;
  readonly #logs: string[];
  readonly #leases: Lease[] = [];
  readonly #round: number;
  #attempt = 0;
  #streaming = false;
  #commands = 0;

  constructor(real: Store, memory: MemoryStore, clock: TestClock, round: number) {
    this.#real = real;
    this.#memory = memory;
    this.#clock = clock;
    this.#chance = new Chance(round);
    this.#round = round;
    this.#logs = ["a", "b"].map((name) => `ses_${round}${name}`);
  }

  /** One verb on both, then everything that can be read of it. */
  async move(): Promise<string[]> {
    const chance = this.#chance;
    const log = chance.happens(0.03) ? "ses_none" : chance.pick(this.#logs);
    if (chance.happens(0.01)) await this.#end(log);
    this.#clock.advance(1); // so that no two are equally old
    const outcomes: string[] = [];
    const same = async <T>(theirs: Promise<T>, ours: T | undefined, what: string) => {
      const answer = await theirs;
      alike(ours, answer, `${what} in round ${this.#round}`);
      outcomes.push(nameOf(answer));
    };
    switch (chance.pick(MOVES)) {
      case "create": {
        const first = this.#events(log).filter(({ type }) => type !== "draft"); // nothing is drafted before it began
        const created = await this.#real.createSession({ id: log, profile: "default", first }, owner);
        alike(
          this.#memory.createSession({ id: log, profile: "default", first }, owner).ok,
          created.ok,
          "a new session",
        );
        break;
      }
      case "append": {
        const [events, writer] = [this.#events(log), this.#writer()];
        const seq = this.#memory.logs.get(log)?.seq ?? 0;
        const options = {
          ...(chance.happens(0.3) && { expectSeq: seq - chance.pick([0, 0, 1]) }),
          ...(chance.happens(0.3) && { note: { input: "inp" } }),
        };
        await same(
          this.#real.append(log, events, writer, options),
          this.#memory.append(log, events, writer, options),
          `an append by the ${writer.by}`,
        );
        break;
      }
      case "claim": {
        const claimed = chance.happens(0.5) ? await this.#claimAny(same) : await this.#claimOne(log, same);
        if (claimed) this.#leases.push(claimed);
        break;
      }
      case "lease": {
        const lease = this.#lease();
        if (!lease) break;
        const rested = chance.pick([undefined, this.#memory.head(lease.log)?.position, START]);
        if (chance.happens(0.5))
          await same(this.#real.renewLease(lease), this.#memory.renewLease(lease), "a renewal");
        else
          await same(
            this.#real.releaseLease(lease, rested),
            this.#memory.releaseLease(lease, rested),
            "a release",
          );
        break;
      }
      case "delete": {
        const [force, command] = [chance.happens(0.3), this.#command()];
        await same(
          this.#real.deleteSession(log, { force }, command),
          this.#memory.deleteSession(log, force, command),
          "a deletion",
        );
        break;
      }
      case "succeed":
        await this.#succeed(log, same);
        break;
      case "wait":
        this.#clock.advance(chance.pick([1_000, TTL_MS - 1, TTL_MS + 1, 60_000]));
        break;
    }
    await this.#compare(log);
    return outcomes;
  }

  async #succeed(from: string, same: Same): Promise<void> {
    const [view, head] = [this.#memory.view(from), this.#memory.head(from)];
    if (!view || !head) return;
    const id = `ses_${this.#round}s${this.#logs.length}`;
    const at = formatPosition(this.#chance.whole(1, seqOf(head.position)), 0);
    const succession = { from, view, at, id, reason: "undone", first: [] };
    const command = this.#command();
    const ours = this.#memory.succeedSession(succession, owner, command);
    const theirs = this.#real.succeedSession(succession, owner, command);
    await same(
      theirs.then((made) => (made.ok ? { ok: true, ...(made.replayed && { replayed: true }) } : made)),
      ours,
      "a succession",
    );
    if (this.#memory.logs.has(id)) this.#logs.push(id);
    this.#streaming = false; // what was being drafted is not the successor's
  }

  /** The next round's sessions are others. */
  async over(): Promise<void> {
    for (const log of this.#logs) await this.#end(log);
  }

  async #end(log: string): Promise<void> {
    const end: NewEvent = { type: "session_ended", data: { reason: "it is over" } };
    const writer: Writer = { by: "client", author: owner };
    alike(this.#memory.append(log, [end], writer), await this.#real.append(log, [end], writer), "the end");
  }

  async #claimAny(same: Same): Promise<Lease | undefined> {
    const ours = this.#memory.claimSession(this.#real.node, TTL_MS);
    await same(this.#real.claimSession(TTL_MS), ours, "the choice of a session");
    return ours?.lease;
  }

  async #claimOne(log: string, same: Same): Promise<Lease | undefined> {
    const ours = this.#memory.claimLease(this.#real.node, log, TTL_MS);
    await same(this.#real.claimLease(log, TTL_MS), ours, "a claim");
    return ours.ok ? ours.lease : undefined;
  }

  async #compare(log: string): Promise<void> {
    const from = formatPosition(this.#chance.whole(0, 8), this.#chance.whole(0, 1));
    const limit = this.#chance.whole(1, 200);
    const memory = this.#memory;
    alike(memory.events(log, from, limit), await this.#real.events(log, from, limit), "events");
    alike(memory.view(log), await this.#real.view(log), "the view");
    alike(memory.head(log), await this.#real.head(log), "the head");
    const row = await this.#real.session(log, "owner");
    const ours = memory.logs.get(log)?.row;
    alike(
      ours && { status: statusOf(ours), queued: ours.queued, retryAt: ours.retryAt },
      row && { status: row.status, queued: row.queued, retryAt: row.retryAt },
      "the row",
    );
    for (const process of PROCESSES) {
      const [known, real] = [this.#memory.rows.processes.get(process), await this.#real.process(process)];
      alike(shown(known), shown(real), "a process");
    }
  }

  /** Any that was ever given, so that most are too late. */
  #lease(): Lease | undefined {
    return this.#leases.length === 0 ? undefined : this.#chance.pick(this.#leases.slice(-3));
  }

  #writer(): Writer {
    const chance = this.#chance;
    const lease = this.#lease();
    if (lease && chance.happens(0.5)) return { by: "executor", lease };
    const key = `${this.#round} ${chance.whole(1, 6)}`;
    if (chance.happens(0.2)) return { by: "keeper", keeper: "delegates", key };
    if (chance.happens(0.5)) return { by: "client", author: owner };
    const digest = chance.pick(["one", "one", "other"]);
    return { by: "client", author: owner, command: { scope: "owner", key, digest } };
  }

  /** Of what is not an append: its keys are its own. */
  #command(): Command {
    return { scope: "owner", key: `${this.#round} x${++this.#commands}`, digest: "one" };
  }

  #events(log: string): NewEvent[] {
    return Array.from({ length: this.#chance.whole(1, 3) }, () => this.#event(log));
  }

  #event(log: string): NewEvent {
    const chance = this.#chance;
    const input = `inp_${chance.whole(1, 3)}`;
    const step = { step: "s1", attempt: this.#attempt };
    const retryAt = new Date(this.#clock.now() + 5_000).toISOString();
    const from: Position = START;
    const process = chance.pick(PROCESSES);
    const all: NewEvent[] = [
      { type: "input_admitted", data: { input, kind: "prompt", text: `to ${log}` } },
      { type: "input_delivered", data: { input, turn: "t1", from } },
      { type: "input_withdrawn", data: { input } },
      { type: "queue_held", data: { reason: "stopped" } },
      { type: "queue_released", data: {} },
      { type: "turn_started", data: { turn: "t1", inputs: [input] } },
      { type: "stop_requested", data: { turn: "t1" } },
      { type: "step_started", data: { turn: "t1", model: "m", ...step } },
      { type: "draft", data: { part: `s1.${step.attempt}/0`, kind: "text", offset: 0, text: "half a" } },
      { type: "draft", data: { part: `s1.${step.attempt}/0`, kind: "text", offset: 6, text: " word" } },
      { type: "step_aborted", data: { ...step, reason: "overloaded", retryAt } },
      { type: "step_completed", data: { ...step, message: [{ type: "text", text: "whole" }] } },
      { type: "ask_opened", data: { ask: "ask_1", kind: "clarify", title: "Which?" } },
      { type: "ask_answered", data: { ask: "ask_1", kind: "clarify", answer: { text: "that" } } },
      { type: "turn_ended", data: { turn: "t1", outcome: "completed" } },
      { type: "process_started", data: { process, command: "make", cwd: "/work", background: true } },
      { type: "process_exited", data: { process, exit: 3, cause: "exit" } },
    ];
    const event = chance.pick(all);
    switch (event.type) {
      case "step_started": // a step begins once, is drafted only after that, and ends once
        this.#attempt += 1;
        this.#streaming = true;
        return { ...event, data: { ...event.data, attempt: this.#attempt } };
      case "step_aborted":
      case "step_completed":
      case "draft": {
        const isNow = this.#streaming;
        if (event.type !== "draft") this.#streaming = false;
        return isNow ? event : { type: "notice", data: { level: "info", text: "nothing streams" } };
      }
      default:
        return event;
    }
  }
}

function shown(row: ProcessRow | undefined): unknown {
  return row && { session: row.session, status: row.status, exit: row.exit, cause: row.cause };
}

function alike(ours: unknown, theirs: unknown, what: string): void {
  expect({ [what]: ours }).toEqual({ [what]: theirs });
}

type Same = <T>(theirs: Promise<T>, ours: T | undefined, what: string) => Promise<void>;

function nameOf(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return "nothing";
  if ("code" in answer && typeof answer.code === "string") return answer.code;
  return "replayed" in answer ? "replayed" : "ok";
}
