// What the executor needs of operating-system processes; src/process provides it through process-commands.ts, and the
// simulation through a table of its own.

export interface Commands {
  /** Commits what it is about to do, then spawns under the shim. An id is used once. */
  start(command: CommandStart): Promise<{ ok: true } | { ok: false; reason: string }>;
  /** What has become of it, from its own trace. */
  find(process: string): Promise<CommandState>;
  /** Until it is over, or the signal is aborted (which does not touch it). */
  finished(process: string, signal: AbortSignal): Promise<CommandEnd | undefined>;
  /** Its output as it comes, from the beginning; ends when it is over or the signal is aborted. */
  follow(process: string, signal: AbortSignal): AsyncIterable<string>;
  /** Head and tail of what it said, with how to read the rest. */
  result(process: string): Promise<string>;
  /** The whole tree, for sure. */
  stop(process: string, reason: "stopped" | "timed_out"): Promise<void>;
}

export type CommandStart = {
  process: string;
  session: string;
  profile: string;
  command: string;
  cwd: string;
  workspace: string;
  stdin: boolean;
  /** A server may talk for ever: what it says beyond its file's bound is let go, and it goes on. */
  background: boolean;
};

export type CommandState = { state: "running" } | CommandEnd;

export type CommandEnd =
  /** `left`: what of it still runs, under its id. */
  | { state: "exited"; exit: number; cause: string; left?: readonly LeftRunning[] }
  /** Whether it finished is not known. */
  | { state: "lost" }
  /** It has not run and never will under this id. */
  | { state: "unstarted" };

export type LeftRunning = { pid: number; command: string };
