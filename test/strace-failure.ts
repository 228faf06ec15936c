import { execFileSync } from "node:child_process";

/** The end of a skipped test's title: why strace can't do here what these options ask of it; undefined when it can. */
export function straceFailure(...options: string[]): string | undefined {
  try {
    execFileSync("strace", ["-f", "-qq", "-o", "/dev/null", ...options, "true"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return ` can't be played here: strace does not run (${String(error).split("\n")[0]})`;
  }
}
