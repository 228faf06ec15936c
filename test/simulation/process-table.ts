// Processes in simulated time. They outlive every server, each runs once under its id, and what has not begun can be
// given up for good; what they did is counted, to be held against what the logs say.
import type { CommandEnd } from "../../src/executor/commands.ts";
import type { World } from "./world.ts";

/** What a command does is written in it: `work <ms> exit <code> say <word>`. */
export function commandText(ms: number, exit: number, word: string): string {
  return `work ${ms} exit ${exit} say ${word}`;
}

type Process = {
  id: string;
  state: "taken" | "running" | CommandEnd["state"];
  exit: number;
  cause: string;
  /** What it has said so far. */
  output: string;
  /** It takes no notice of any signal. */
  stubborn: boolean;
  /** By the clock on the wall, as facts have it. */
  endedAt: string | null;
  changed: Set<() => void>;
  timers: (() => void)[];
};

export class ProcessTable {
  readonly #world: World;
  readonly #processes = new Map<string, Process>();
  /** Told of each that ends, in whatever way. */
  onEnd: (id: string) => void = () => {};
  /** How often each call's command really began, by its process's name without the try. */
  readonly begun = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  get(id: string): Readonly<Process> | undefined {
    return this.#processes.get(id);
  }

  running(): string[] {
    return [...this.#processes.values()].flatMap(({ id, state }) => (state === "running" ? [id] : []));
  }

  /** The first claim on an id; false when it was started or given up before. */
  take(id: string): boolean {
    if (this.#processes.has(id)) return false;
    this.#add(id, "taken");
    return true;
  }

  /** False when it was given up meanwhile. */
  begin(id: string, command: string, stubborn: boolean): boolean {
    const process = this.#processes.get(id);
    if (process?.state !== "taken") return false;
    const call = callOf(id);
    this.begun.set(call, (this.begun.get(call) ?? 0) + 1);
    const [, ms, , exit, , word] = command.split(" ");
    const lastsMs = Number(ms);
    process.stubborn = stubborn;
    this.#enter(process, "running");
    for (const part of [0.1, 0.2, 0.4, 0.8])
      this.#at(process, part * lastsMs, "speaks", () => {
        process.output += `${word} ${part}\n`;
        this.#tell(process);
      });
    this.#at(process, lastsMs, "exits", () => this.#exit(process, Number(exit), "exit"));
    return true;
  }

  /** What has become of it; what had not begun by now never will. */
  adopt(id: string): { state: "running" } | CommandEnd {
    const process = this.#processes.get(id) ?? this.#add(id, "taken");
    if (process.state === "taken") this.#enter(process, "unstarted");
    const { state, exit, cause } = process;
    if (state === "exited") return { state, exit, cause };
    return { state: state as "running" | "lost" | "unstarted" }; // taken is over by now
  }

  /** False when it is still there. */
  stop(id: string, cause: "stopped" | "timed_out"): boolean {
    this.adopt(id);
    const process = this.#processes.get(id);
    if (process?.state !== "running") return true;
    if (!process.stubborn) this.#exit(process, 143, cause);
    return !process.stubborn;
  }

  /** Nothing resists any more. */
  calm(): void {
    for (const process of this.#processes.values()) process.stubborn = false;
  }

  /** The shim is killed with all that it ran, and nobody writes down how it ended. */
  lose(id: string): void {
    const process = this.#processes.get(id);
    if (process?.state === "running") this.#enter(process, "lost");
  }

  /** Called once, when it has said more or is over; the returned function takes it back. */
  onceChanged(id: string, run: () => void): () => void {
    const process = this.#processes.get(id);
    process?.changed.add(run);
    return () => process?.changed.delete(run);
  }

  #add(id: string, state: Process["state"]): Process {
    const process: Process = {
      id,
      state,
      exit: 0,
      cause: "",
      output: "",
      stubborn: false,
      endedAt: null,
      changed: new Set(),
      timers: [],
    };
    this.#processes.set(id, process);
    return process;
  }

  #at(process: Process, ms: number, what: string, run: () => void): void {
    process.timers.push(this.#world.after(ms, undefined, `${process.id} ${what}`, run));
  }

  #exit(process: Process, exit: number, cause: string): void {
    Object.assign(process, { exit, cause });
    this.#enter(process, "exited");
  }

  #enter(process: Process, state: Process["state"]): void {
    process.state = state;
    if (state !== "running") {
      process.endedAt = new Date(this.#world.now()).toISOString();
      for (const cancel of process.timers) cancel();
      this.onEnd(process.id);
    }
    this.#tell(process);
  }

  #tell(process: Process): void {
    const told = [...process.changed];
    process.changed.clear();
    for (const run of told) run();
  }
}

/** `prc_<session>_<call>` of `prc_<session>_<call>.<try>`. */
export function callOf(id: string): string {
  return id.slice(0, id.lastIndexOf("."));
}
