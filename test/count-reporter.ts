import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/** Leaves the run's counts for scripts/test.ts, which prints them as the last line. */
export const countReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const file = process.env["HOLDFAST_TEST_COUNTS"];
    if (file === undefined) return;
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const failedBefore = counts.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        // Only an interrupted run leaves tests pending.
        counts[state === "pending" ? "skipped" : state] += 1;
      }
      // A file that does not load, or whose hook throws, fails without a failed test.
      if (module.state() === "failed" && counts.failed === failedBefore) counts.failed += 1;
    }
    writeFileSync(file, JSON.stringify(counts));
  },
};
