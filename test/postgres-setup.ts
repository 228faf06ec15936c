import type { TestProject } from "vitest/node";
import { startPostgres, type Postgres } from "./postgres.ts";

// Each project loads this file anew, but all of a run share one server.
const run = globalThis as { holdfastPostgres?: Promise<Postgres> | undefined };

export async function setup(project: TestProject): Promise<void> {
  run.holdfastPostgres ??= startPostgres();
  project.provide("postgresUrl", (await run.holdfastPostgres).url);
}

export async function teardown(): Promise<void> {
  const started = run.holdfastPostgres;
  run.holdfastPostgres = undefined; // The first project to end stops it: vitest tears down only after the last test.
  await (await started)?.stop();
}
