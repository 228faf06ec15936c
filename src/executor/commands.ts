// What the executor needs of operating-system processes; src/process provides it.

export interface Commands {
  /** Commits what it is about to do, then spawns under the shim. Starting the same one again finds it instead. */
  start(command: CommandStart): Promise<{ ok: true } | { ok: false; reason: string }>;
  /** What has become of it, from its own trace; `none` when it was never started. */
  find(process: string): Promise<CommandState>;
  /** Until it is over, or the signal is aborted (which does not touch it). */
  finished(
    process: string,
    signal: AbortSignal,
  ): Promise<Extract<CommandState, { state: "exited" | "lost" }> | undefined>;
  /** Its output as it comes, from the beginning; ends when it is over or the signal is aborted. */
  follow(process: string, signal: AbortSignal): AsyncIterable<string>;
  /** Head and tail of what it said, with how to read the rest. */
  result(process: string): Promise<string>;
  /** The whole tree, for sure. */
  stop(process: string): Promise<void>;
}

export type CommandStart = {
  process: string;
  session: string;
  command: string;
  cwd: string;
  workspace: string;
  stdin: boolean;
};

export type CommandState =
  | { state: "running" }
  | { state: "exited"; exit: number; cause: string }
  | { state: "lost" }
  | { state: "none" };
