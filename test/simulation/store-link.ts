// How a node reaches the store: every verb is a request on its way, one moment in the store, and an answer on its way
// back, and each of the three can go wrong.
import type { Created, SessionRow, Store } from "../../src/store/store.ts";
import { StorageError, type LogId } from "../../src/store/store.ts";
import { Mailbox } from "../../src/store/mailbox.ts";
import type { Rates } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Reached } from "./reached.ts";
import type { Life, World } from "./world.ts";

export type Linked = {
  world: World;
  memory: MemoryStore;
  rates: () => Rates;
  reached: Reached;
  ledger: Ledger;
};

/** A wake that was lost is made good by the store's own poll. */
const POLL_MS = 1_000;

export const STORE = "sto_simulated";

export function storeLink(
  { world, memory, rates, reached, ledger }: Linked,
  life: Life,
  node: string,
): Store {
  const { chance } = world;

  function call<T>(what: string, effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      // What is still in the sender's own buffers stands still with it and dies with it; what is on the wire does not.
      const carrier = chance.happens(0.5) ? life : undefined;
      world.soon(carrier, `${what} arrives`, () => {
        const fault = faultOf();
        if (fault === "busy") {
          answer(() => reject(new StorageError("busy", `${what}: not now`)));
          return;
        }
        try {
          const result = effect();
          if (fault === "lost") answer(() => reject(new StorageError("busy", `${what}: no answer came`)));
          else answer(() => resolve(result));
        } catch (error) {
          answer(() => reject(error as Error));
        }
      });
      const answer = (run: () => void) => world.soon(life, `${what} is answered`, run);
    });
  }

  function faultOf(): "busy" | "lost" | undefined {
    const { storageBusy, ackLost } = rates();
    const busy = chance.happens(storageBusy);
    if (!busy && !chance.happens(ackLost)) return undefined;
    ledger.troubled.add(node);
    if (busy) return reached.note("the storage was busy", "busy");
    return reached.note("an acknowledgement was lost", "lost");
  }

  /** Posts a wake for each change that concerns it, late or, where a poll stands behind it anyway, not at all. */
  function listen<Out>(
    concerns: (log: LogId) => boolean,
    polled: boolean,
    take: (pending: Set<LogId>) => Out,
    signal: AbortSignal,
  ): AsyncIterableIterator<Out> {
    const mailbox = new Mailbox<LogId, Out>(take, () => {
      memory.listeners.delete(hear);
      signal.removeEventListener("abort", end);
    });
    const end = () => mailbox.end();
    const hear = (log: LogId) => {
      if (!life.alive || !concerns(log)) return;
      const post = () => mailbox.post(log);
      if (!chance.happens(rates().wakeLost)) world.soon(life, `a wake for ${log}`, post);
      else {
        reached.note("a wake was lost");
        if (polled) world.after(chance.between(0, POLL_MS), life, `a look at ${log}`, post);
      }
    };
    memory.listeners.add(hear);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    return mailbox;
  }

  const verbs: Pick<Store, Simulated> = {
    id: STORE,
    node,
    append: (log, events, writer, options) =>
      call(`append to ${log}: ${events.map(({ type }) => type).join(", ")}`, () => {
        const appended = memory.append(log, events, writer, options);
        if (!appended.ok) {
          world.say(life.name, `… is refused: ${appended.code}`);
          if (appended.code === "lease_lost") reached.note("a late holder's append was refused");
        }
        return appended;
      }),
    head: (log) => call(`head of ${log}`, () => memory.head(log)),
    createSession: (session, author) =>
      call(`create ${session.id}`, () => memory.createSession(session, author) as Created), // its row is not asked for
    events: (log, after, limit, only) =>
      call(`events of ${log}`, () => memory.events(log, after, limit, only)),
    snapshot: (log) => call(`snapshot of ${log}`, () => undefined), // none is ever made
    view: (log) => call(`view of ${log}`, () => memory.view(log)),
    session: (id) => call(`row of ${id}`, () => memory.session(id) as SessionRow | undefined), // the rest is not asked for
    setTimer: (timer) => call(`timer ${timer.key}`, () => void memory.rows.timers.set(timer.key, timer)),
    clearTimer: (key) => call(`timer ${key} is done`, () => memory.rows.timers.delete(key)),
    dueTimers: (limit) => call("a look for timers", () => memory.rows.dueTimers(limit, world.now())),
    process: (id) => call(`row of ${id}`, () => memory.rows.processes.get(id)),
    processes: () =>
      call("a look for processes", () => ({
        items: [...memory.rows.processes.values()].filter(({ status }) => status === "running"),
        next: null,
      })),
    forgetProcess: (id) =>
      call(`${id} is forgotten`, () => {
        const row = memory.rows.processes.get(id);
        if (row && !memory.logs.has(row.session)) memory.rows.processes.delete(id);
      }),
    takeRequests: () => call("a look for requests", () => memory.rows.takeRequests(world.now())),
    finishRequest: (id, outcome) => call(`${id}: ${outcome}`, () => memory.rows.finishRequest(id, outcome)),
    claimSession: (ttlMs, _, longestWaitMs, except) =>
      call("claim", () => memory.claimSession(node, ttlMs, longestWaitMs, except)),
    lostSessions: (limit) => call("a look for what is lost", () => memory.lostSessions(limit)),
    strandedSessions: async () => [], // all nodes are of one host
    renewLease: (lease) => call(`renewal of ${lease.log}`, () => memory.renewLease(lease)),
    releaseLease: (lease, rested) =>
      call(`release of ${lease.log}`, () => memory.releaseLease(lease, rested)),
    putBlob: (_, bytes) => call("a blob", () => memory.putBlob(bytes)),
    blob: (id) => call(`blob ${id}`, () => memory.blob(id)),
    file: () => Promise.resolve(undefined),
    watch: (log, signal) =>
      listen(
        (changed) => changed === log,
        true,
        (pending) => pending.clear(),
        signal,
      ),
    changes: (signal) =>
      listen(
        () => true,
        false,
        (pending) => {
          const all = new Set(pending);
          pending.clear();
          return all;
        },
        signal,
      ),
  };
  return verbs as Store; // the executor asks for nothing else; should it, the simulation breaks and says what is missing
}

type Simulated =
  | "id"
  | "node"
  | "append"
  | "head"
  | "createSession"
  | "events"
  | "snapshot"
  | "view"
  | "claimSession"
  | "session"
  | "setTimer"
  | "clearTimer"
  | "dueTimers"
  | "process"
  | "processes"
  | "forgetProcess"
  | "takeRequests"
  | "finishRequest"
  | "lostSessions"
  | "strandedSessions"
  | "renewLease"
  | "releaseLease"
  | "putBlob"
  | "blob"
  | "file"
  | "watch"
  | "changes";
