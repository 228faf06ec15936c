import type { TestProject } from "vitest/node";
import { startPostgres, type Postgres } from "./postgres.ts";

// Each project loads this file anew, but all of a run share one server.
const run = globalThis as { holdfastPostgres?: Promise<Postgres> | undefined };

/** HOLDFAST_TEST_POSTGRES=postgres://… runs the tests on that server, to see whether its version will do. */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env["HOLDFAST_TEST_POSTGRES"];
  if (given === undefined) run.holdfastPostgres ??= startPostgres();
  project.provide("postgresUrl", given ?? (await run.holdfastPostgres)?.url ?? "");
}

export async function teardown(): Promise<void> {
  const started = run.holdfastPostgres;
  run.holdfastPostgres = undefined; // The first project to end stops it: vitest tears down only after the last test.
  await (await started)?.stop();
}
