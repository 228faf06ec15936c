// For tests of what a crash leaves behind: the process kills itself, as `kill -9` would, the nth time it passes a named
// line. HOLDFAST_FAILPOINT is `<name>` or `<name>:<n>`; without it a call costs one comparison.

export type Failpoint =
  /** A fact is about to be appended. */
  | "before-commit"
  /** It is on the disk, and nobody was told. */
  | "after-commit"
  /** A model, a tool or a command is about to act. */
  | "after-intent"
  /** What is to be in a file is written beside it, and has not taken its place yet. */
  | "mid-write"
  /** It has acted; what came of it is not written yet. */
  | "after-effect"
  /** Some of a model's words are written, more are to come. */
  | "mid-stream"
  /** A call has its result; others of its step may not have. */
  | "between-tools";

const [wanted, nth = "1"] = (process.env["HOLDFAST_FAILPOINT"] ?? "").split(":");
let passed = 0;

export function failpoint(name: Failpoint): void {
  if (name !== wanted || ++passed < Number(nth)) return;
  process.kill(process.pid, "SIGKILL"); // does not return
}
