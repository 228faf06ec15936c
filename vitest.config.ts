import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { countReporter } from "./test/count-reporter.ts";

// A test named *.postgres.test.ts needs the server and so is no unit test, wherever it stands.
const needsPostgres = "src/**/*.postgres.test.ts";
const contract = ["test/contract/**/*.test.ts", needsPostgres];
const browser = "test/browser/**/*.test.ts";
// Nothing in it is real, so it is as fast as a unit test.
const simulation = "test/simulation/**/*.test.ts";

const setupFiles = "test/end-with-run.ts";

// A condition is waited for as long as a loaded machine may need; only a failure ever takes this long.
const patience = { poll: { timeout: 15_000 } };

export default defineConfig({
  test: {
    reporters: ["default", countReporter],
    // Vitest leaves a core to others, of two the half; but most of a test is waiting for a disk, a process or a browser.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "web/**/*.test.ts", simulation],
          exclude: [needsPostgres],
          setupFiles,
          expect: patience,
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: "contract",
          include: contract,
          globalSetup: "test/postgres-setup.ts",
          setupFiles,
          expect: patience,
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: "scenario",
          include: ["test/**/*.test.ts"],
          exclude: [...contract, browser, simulation],
          globalSetup: "test/postgres-setup.ts",
          setupFiles,
          expect: patience,
          testTimeout: 120_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "browser",
          include: [browser],
          globalSetup: "test/chromium-setup.ts",
          setupFiles,
          expect: patience,
          testTimeout: 120_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
