// What the figures were measured on. Absolute ones mean nothing without it; the ratios move far less.
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { quantile } from "./measure.ts";
import { benchFolder } from "./place.ts";

export type Machine = {
  cores: number;
  cpu: string;
  memoryGb: number;
  system: string;
  node: string;
  sqlite: string;
  /** Unknown where no row needed the server. */
  postgres: string | undefined;
  folder: string;
  /** One write of a page and its sync. */
  syncMs: number;
  /** Runnable processes over the last minute, before the run began. */
  load: number;
};

export function machine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    sqlite: sqliteVersion(),
    postgres: undefined,
    folder: benchFolder,
    syncMs: syncMs(),
    load: loadavg()[0] ?? 0,
  };
}

function sqliteVersion(): string {
  const database = new DatabaseSync(":memory:");
  const row = database.prepare("select sqlite_version() as version").get();
  database.close();
  return String(row?.["version"]);
}

function syncMs(): number {
  const name = join(benchFolder, `holdfast-bench-sync-${process.pid}`);
  const file = openSync(name, "wx");
  try {
    const page = Buffer.alloc(4096, 1);
    const times = Array.from({ length: 50 }, () => {
      const from = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - from;
    });
    return quantile(times, 0.5);
  } finally {
    closeSync(file);
    unlinkSync(name);
  }
}
