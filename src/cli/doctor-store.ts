// What doctor finds in the store: opened directly when it is free, else through the server that holds it.
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../client/commands.ts";
import { ProblemError, Unreachable } from "../client/errors.ts";
import type { Cli } from "./cli.ts";

export type StoreFindings =
  | {
      state: "checked";
      through: "store" | "server";
      store: string;
      dialect: "sqlite" | "postgres";
      events: number;
      damaged: { log: string; position: string }[];
      problems: string[];
      warnings: string[];
      exported: { log: string; file: string; events: number }[];
    }
  | { state: "absent" }
  | { state: "unusable"; detail: string };

export async function storeFindings(cli: Cli, exportTo: string | undefined): Promise<StoreFindings> {
  const report = await cli.deps.doctorStore(exportTo === undefined ? {} : { exportTo });
  if (report.ok) {
    const { ok: _, ...found } = report;
    return { state: "checked", through: "store", ...found };
  }
  if (report.code === "not_found") return { state: "absent" };
  if (report.code === "unusable") return { state: "unusable", detail: report.detail };
  return throughServer(cli.client, exportTo, report.detail);
}

async function throughServer(
  client: Client,
  exportTo: string | undefined,
  held: string,
): Promise<StoreFindings> {
  try {
    const check = await client.check();
    const logs = [...new Set(check.damaged.map(({ log }) => log))];
    const problems = [...check.problems];
    const exported =
      exportTo === undefined
        ? []
        : await exportPrefixes(client, logs, exportTo, (text) => problems.push(text));
    return { state: "checked", through: "server", ...check, problems, warnings: [], exported };
  } catch (error) {
    if (error instanceof Unreachable || error instanceof ProblemError)
      return {
        state: "unusable",
        detail: `${held} It can't be checked through the server: ${error.message}`,
      };
    throw error;
  }
}

/** An export ends where the log is damaged: the server cuts it off there, and what came is the good prefix. */
async function exportPrefixes(
  client: Client,
  logs: readonly string[],
  directory: string,
  failed: (problem: string) => void,
) {
  await mkdir(directory, { recursive: true });
  const exported: { log: string; file: string; events: number }[] = [];
  for (const log of logs) {
    const file = join(directory, `${log}.jsonl`);
    const handle = await open(file, "w");
    let events = 0;
    try {
      for await (const line of wholeLines(await client.exportSession(log, "jsonl"))) {
        await handle.write(`${line}\n`);
        if (line.startsWith('{"position":')) events += 1; // the others carry what events refer to
      }
    } catch (error) {
      // One log that can't be had must not keep the others from being saved.
      if (!(error instanceof ProblemError)) throw error;
      failed(`${log} can't be exported: ${error.message}`);
    } finally {
      await handle.close();
    }
    exported.push({ log, file, events });
  }
  return exported;
}

async function* wholeLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  const chunks = (response.body ?? new Blob([]).stream()).getReader();
  for (;;) {
    const read = await chunks.read().catch(() => undefined); // cut off, as is to be expected here
    if (!read || read.done) return;
    const lines = (rest + decoder.decode(read.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
