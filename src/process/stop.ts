// Ending a command for sure: it is asked, then everything that came of it is killed wherever it went, and looked for
// again until none is found.
import { setTimeout as delay } from "node:timers/promises";
import { markStop, readClaim, readExit, readSpec, type StopReason } from "./directory.ts";
import { hasLeft } from "./left.ts";
import { commandOf, type Row } from "./process-table.ts";
import { sendSafely } from "./send-safely.ts";
import { adopt, type ProcessState } from "./state.ts";
import { findTree, keyOf, type Tree } from "./tree.ts";

export type StopOptions = {
  reason: StopReason;
  /** What it is asked with. */
  signal?: AskSignal;
  /** How long it may take to end by itself. */
  graceMs?: number;
};

export type AskSignal = "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT";

export type Stopped = {
  /** `running` only when something could not be ended. */
  state: ProcessState;
  /** Everything that was found alive, with the last signal it was sent. */
  ended: Ended[];
  /** Still there after SIGKILL: in the kernel's hands, or another user's. */
  alive: Ended[];
};

export type Ended = { pid: number; command: string; signal: AskSignal | "SIGKILL" };

/** What is there now, those included that were there at an earlier look. */
type Look = () => Promise<Tree>;

const GRACE_MS = 5_000;
/** From the first SIGKILL until it is said that something cannot be ended. */
const KILL_MAX_MS = 10_000;
/** With nothing left to run, all the shim has to do is write the exit code. */
const SHIM_ALONE_MAX_MS = 3_000;
/** A process in the middle of exec shows no environment for a moment, so one look in which nothing is seen is not enough. */
const CLEAN_LOOKS = 2;
const LOOK_FIRST_MS = 5;
const LOOK_MAX_MS = 100;

/** Also for a process that has exited or was lost: what it left behind is ended. */
export async function stopProcess(dir: string, options: StopOptions): Promise<Stopped> {
  if (typeof (await readClaim(dir)) !== "object") return { state: await adopt(dir), ended: [], alive: [] };
  // Of what was told to be over the cause stays; what a command left running is yet to be told.
  if ((await readExit(dir)) === undefined || (await hasLeft(dir))) await markStop(dir, options.reason);
  const sent = new Sent((await readSpec(dir))?.sandboxed ?? false);
  const known = new Set<string>();
  const look = async () => {
    const tree = await findTree(dir, known);
    for (const member of tree.members) known.add(keyOf(member));
    return tree;
  };
  await askToEnd(look, options, sent);
  const alive = await killAll(dir, look, sent);
  return {
    state: await adopt(dir),
    ended: sent.all().filter(({ pid }) => !alive.includes(pid)),
    alive: sent.all().filter(({ pid }) => alive.includes(pid)),
  };
}

/** Once only: a second SIGTERM means "at once" to many programs, and a trap's own children must not get the first. */
async function askToEnd(look: Look, options: StopOptions, sent: Sent): Promise<void> {
  const deadline = performance.now() + (options.graceMs ?? GRACE_MS);
  let asked = false;
  for (let waitMs = LOOK_FIRST_MS; ; waitMs = Math.min(2 * waitMs, LOOK_MAX_MS)) {
    const { members, shimAlive } = await look();
    if (members.length === 0 && !shimAlive) return;
    // A shim that has just begun has no members yet: they are asked when they come.
    if (!asked && members.length > 0) {
      await sent.send(members, options.signal ?? "SIGTERM");
      asked = true;
    }
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return;
    await delay(Math.min(waitMs, leftMs));
  }
}

/** The pids that would not go. */
async function killAll(dir: string, look: Look, sent: Sent): Promise<number[]> {
  const begun = performance.now();
  let aloneSince: number | undefined;
  let clean = 0;
  for (let waitMs = LOOK_FIRST_MS; ; waitMs = Math.min(2 * waitMs, LOOK_MAX_MS)) {
    const { members, keepers, shimAlive } = await look();
    const now = performance.now();
    aloneSince = members.length > 0 ? undefined : (aloneSince ?? now);
    const shimStuck = shimAlive && aloneSince !== undefined && now - aloneSince > SHIM_ALONE_MAX_MS;
    // Those who carry the output of a shim that left no exit code may wait for a writer that never comes.
    const orphaned = !shimAlive && (await readExit(dir)) === undefined;
    const targets = shimStuck || orphaned ? [...members, ...keepers] : members;
    clean = targets.length === 0 && !shimAlive ? clean + 1 : 0;
    if (clean === CLEAN_LOOKS) return [];
    if (now - begun > KILL_MAX_MS) return targets.map(({ pid }) => pid);
    await sent.send(targets, "SIGKILL");
    await delay(waitMs);
  }
}

/** Who was sent what. */
class Sent {
  readonly #sandboxed: boolean;
  readonly #byProcess = new Map<string, Ended>();

  constructor(sandboxed: boolean) {
    this.#sandboxed = sandboxed;
  }

  all(): Ended[] {
    return [...this.#byProcess.values()];
  }

  /** To whole groups, so that none escapes by forking just then. */
  async send(rows: readonly Row[], signal: Ended["signal"]): Promise<void> {
    for (const [pgrp, group = []] of Map.groupBy(rows, (row) => row.pgrp)) {
      const spared = signal === "SIGKILL" ? [] : group.filter((row) => this.#isWall(row));
      const hit = group.filter((row) => !spared.includes(row));
      for (const row of hit) await this.#note(row, signal);
      if (spared.length === 0) await sendSafely(group, -pgrp, signal);
      else for (const row of hit) await sendSafely([row], row.pid, signal);
    }
  }

  /** Bubblewrap takes what is inside down with it at once; asked to end, the command itself must have its time. */
  #isWall(row: Row): boolean {
    return this.#sandboxed && row.name === "bwrap";
  }

  async #note(row: Row, signal: Ended["signal"]): Promise<void> {
    const key = keyOf(row);
    const command = this.#byProcess.get(key)?.command ?? (await commandOf(row));
    this.#byProcess.set(key, { pid: row.pid, command, signal });
  }
}
