// A server: an executor that lives for a while, dies or goes, and comes back as another.
import type { Clock } from "../../src/executor/clock.ts";
import { DraftBeat } from "../../src/executor/draft-beat.ts";
import { FileLanes } from "../../src/executor/file-lanes.ts";
import type { DrainContext, Profile } from "../../src/executor/drain.ts";
import { Executor } from "../../src/executor/executor.ts";
import type { RetryLimits } from "../../src/executor/retry-time.ts";
import { sessionDelegates } from "../../src/executor/delegates.ts";
import type { Policy } from "../../src/session/approval.ts";
import type { Rule } from "../../src/session/event.ts";
import { USUAL_LIMITS, type Limits } from "../../src/session/next-step.ts";
import { expireAsk } from "../../src/keeper/expire-ask.ts";
import { ProcessEnds } from "../../src/keeper/process-ends.ts";
import { ProcessRequests } from "../../src/keeper/process-requests.ts";
import { tellGone } from "../../src/keeper/tell-gone.ts";
import { Timers } from "../../src/keeper/timers.ts";
import { NO_SECRETS } from "../../src/secret/secrets.ts";
import { StorageError } from "../../src/store/store.ts";
import { toolbox } from "../../src/tool/toolbox.ts";
import { commandLink } from "./command-link.ts";
import { DiskFault, type Rates } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import { machineLink } from "./machine-link.ts";
import { HOST } from "./memory-rows.ts";
import type { MemoryStore } from "./memory-store.ts";
import { modelLink } from "./model.ts";
import type { ProcessTable } from "./process-table.ts";
import type { Reached } from "./reached.ts";
import { storeLink } from "./store-link.ts";
import { toolLink } from "./tools.ts";
import type { Life, World } from "./world.ts";

export type Surroundings = {
  world: World;
  memory: MemoryStore;
  table: ProcessTable;
  ledger: Ledger;
  reached: Reached;
  rates: () => Rates;
  approvals: Policy["approvals"];
  /** Of the one profile, kept beyond its sessions. */
  saved: Rule[];
  maxTurns: number;
  /** Without it an ask waits for ever. */
  askExpiryMs: number | undefined;
};

export const MODEL = "scripted/one";
export const LEASE_MS = 15_000;
const POLL_MS = 5_000;
const KEEPER_MS = 10_000;
const OUT_WITHIN_MS = 4_500;
const LONG_CHARS = 60;
/** So little in all that some provider fails for longer. */
export const RETRY: RetryLimits = { firstMs: 2_000, mostMs: 30_000, totalMs: 45_000 };
export const LIMITS: Limits = { ...USUAL_LIMITS, maxWaitMs: RETRY.totalMs };

export class Node {
  readonly #around: Surroundings;
  readonly #name: string;
  #born = 0;
  #life: Life;
  #services: Service[];

  constructor(around: Surroundings, name: string) {
    this.#around = around;
    this.#name = name;
    this.#life = this.#newLife();
    this.#services = this.#newServices();
  }

  get isUp(): boolean {
    const { world, ledger } = this.#around;
    const { alive, name, pausedUntil } = this.#life;
    return alive && pausedUntil <= world.elapsedMs && !ledger.shutdowns.has(name);
  }

  get life(): Life {
    return this.#life;
  }

  /** Nothing that it still waited for comes any more. The store hears of it at once, or only by the lease's time. */
  kill(): void {
    const { world, memory, ledger, reached } = this.#around;
    if (!this.#life.alive) return;
    reached.note("an executor died");
    world.say(this.#life.name, "DIES");
    this.#life.alive = false;
    ledger.deaths.set(this.#life.name, new Date(world.now()).toISOString());
    for (const [session, { stored }] of memory.logs) {
      const last = stored.findLast(({ owner }) => owner === null);
      if (last) ledger.kept.push({ session, position: last.position, text: last.text });
    }
    this.#comeBack();
  }

  pause(ms: number): void {
    const { world, ledger, reached } = this.#around;
    reached.note("an executor was paused");
    world.say(this.#life.name, `STANDS STILL for ${Math.round(ms / 1000)} s`);
    this.#life.pausedUntil = world.elapsedMs + ms;
    ledger.troubled.add(this.#life.name);
    ledger.pauses.push({ node: this.#life.name, from: world.now(), until: world.now() + ms });
  }

  /** As on SIGTERM: in good order, but not for long. */
  shutDown(): void {
    const { world, ledger, reached } = this.#around;
    const life = this.#life;
    if (ledger.shutdowns.has(life.name)) return;
    ledger.shutdowns.add(life.name);
    reached.note("an executor was asked to stop");
    world.say(life.name, "IS ASKED TO STOP");
    const out = () => {
      if (!life.alive) return;
      world.say(life.name, "IS OUT");
      life.alive = false;
      this.#comeBack();
    };
    const late = world.after(OUT_WITHIN_MS, undefined, `${life.name} must be out`, out);
    void this.stop().then(() => {
      late();
      out();
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.stop()));
  }

  #comeBack(): void {
    const { world, memory } = this.#around;
    if (world.chance.happens(0.5)) memory.gone.add(this.#life.name);
    world.after(world.chance.between(50, 20_000), undefined, `${this.#name} starts`, () => {
      this.#life = this.#newLife();
      this.#services = this.#newServices();
    });
  }

  #newLife(): Life {
    return { name: `${this.#name}.${++this.#born}`, alive: true, pausedUntil: 0 };
  }

  /** An executor, and what happens without anyone asking. */
  #newServices(): Service[] {
    const around = this.#around;
    const { world, ledger, reached, rates, maxTurns } = around;
    const life = this.#life;
    const store = storeLink(around, life, life.name);
    const profile: Profile = {
      driver: modelLink(around, life),
      model: MODEL,
      instructions: () => "",
      workspace: () => ({ path: "/work", scratch: false }),
      toolbox: toolbox(toolLink(world, ledger, life, () => this.kill())),
      mcp: [],
      policy: { approvals: around.approvals, config: [] },
      ...(around.askExpiryMs !== undefined && { askExpiryMs: around.askExpiryMs }),
      contextTokens: 128_000,
      sandboxed: false,
      network: true,
      passEnv: [],
      price: (_, usage) => usage,
    };
    const later = <T>(what: string, effect: () => T): Promise<T> =>
      new Promise((resolve) => {
        world.soon(life, what, () => resolve(effect()));
      });
    let asks = 0;
    const commands = commandLink(around, life);
    const clock: Clock = { now: world.now, after: (ms, run) => world.after(ms, life, "a timer", run) };
    const context: DrainContext = {
      store,
      profile: (name) =>
        name === "default" && !world.chance.happens(rates().profileGone)
          ? profile
          : { unusable: `There is no profile "${name}".` },
      commands,
      delegates: sessionDelegates({
        store,
        profile: (name) => (name === "default" ? { ok: true } : { ok: false, why: `There is no "${name}".` }),
        workspace: () => Promise.resolve({ path: "/work" }),
      }),
      hidden: "/nowhere",
      openWorkspace: () => later("the workspace is opened", () => undefined),
      savedRules: () => later("rules are read", () => [...around.saved]),
      saveRule: (_, rule) => later("a rule is saved", () => void around.saved.push(rule)),
      longText: async (session, text) =>
        text.length <= LONG_CHARS
          ? text
          : { ...(await store.putBlob(session, Buffer.from(text))), preview: text.slice(0, LONG_CHARS) },
      secrets: NO_SECRETS,
      newAsk: () => `ask_${life.name}_${++asks}`,
      clock,
      beat: new DraftBeat(clock),
      lanes: new FileLanes(),
      chance: () => world.chance.next(),
      leftRunning: () => ends.look(),
      limits: LIMITS,
      retry: RETRY,
      summaryTimeoutMs: 20_000,
      log: {
        info: (_, message) => world.say(life.name, `log: ${message}`),
        error: (detail, message) => {
          const { err } = detail as { err?: unknown };
          world.say(life.name, `log: ${message}: ${err instanceof Error ? err.message : String(err)}`);
          if (err instanceof DiskFault) reached.note("a fault that nobody expected ended its turn");
          else if (!(err instanceof StorageError))
            world.fail(err instanceof Error ? err : new Error(String(err)));
        },
      },
    };
    const log = {
      error: (detail: object, message: string) => {
        const { err } = detail as { err?: unknown };
        if (!(err instanceof DiskFault)) return context.log.error(detail, message);
        world.say(life.name, `log: ${message}: ${err.message}`);
      },
    };
    const processes = machineLink(around, life, commands);
    const ends = new ProcessEnds({ store, host: HOST, processes, clock, sweepMs: KEEPER_MS, log });
    const services = [
      new Executor(context, { maxTurns, leaseMs: LEASE_MS, pollMs: POLL_MS }),
      ends,
      new ProcessRequests({ store, processes, clock, pollMs: KEEPER_MS, log }),
      new Timers({
        store,
        clock,
        pollMs: KEEPER_MS,
        act: async (timer) => (await expireAsk(store, timer)) || tellGone(store, timer),
        log,
      }),
    ];
    for (const service of services) service.start();
    return services;
  }
}

type Service = { start(): void; stop(): Promise<void> };
