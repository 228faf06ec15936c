// What the command line does with a store that no server holds: look at it, copy it, put a copy in its place.
import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AgentsReport, Deps, StoreRefusal, StoreReport } from "./cli/deps.ts";
import { readSettings, type Settings } from "./config/settings.ts";
import { homeFault, makeHome } from "./home.ts";
import { openStore } from "./open-store.ts";
import { describeAgents as agentsReport, findAgents } from "./profile/find.ts";
import { tryMcpServers } from "./profile/mcp-servers.ts";
import { makeIds } from "./session/ids.ts";
import { goodPrefix } from "./store/good-prefix.ts";
import { StorageError, type LogId, type Store } from "./store/store.ts";

const ids = makeIds(Date.now, randomBytes);

export async function doctorStore({ exportTo }: { exportTo?: string }): Promise<StoreReport> {
  const settings = currentSettings();
  if ("ok" in settings) return settings;
  const { databaseUrl } = settings;
  if (databaseUrl === undefined) return doctorFile(settings, exportTo);
  const { crashRisks } = await import("./store/postgres/crash-risks.ts");
  return withStore(async (store) => {
    const warnings = await crashRisks(databaseUrl, store.node);
    const { events, damaged, problems } = await store.check();
    const logs = new Set(damaged.map(({ log }) => log));
    const exported = exportTo === undefined ? [] : await exportPrefixes(store, logs, exportTo);
    const { id, dialect } = store;
    return { ok: true, store: id, dialect, events, damaged, problems, warnings, exported };
  });
}

/** Without opening it as a store: it may be too damaged for that, and nothing is to be changed. */
async function doctorFile(settings: Settings, exportTo: string | undefined): Promise<StoreReport> {
  const file = storeFile(settings);
  const refused = refuseUnusable(settings);
  if (refused) return refused;
  const { inspectSqlite } = await import("./store/sqlite/inspect.ts");
  return refusedAsValue(async () => {
    const { store, rescued, ...report } = inspectSqlite(file, exportTo);
    return { ok: true, store: store ?? file, dialect: "sqlite", ...report, warnings: [], exported: rescued };
  });
}

export async function describeAgents(): Promise<AgentsReport> {
  const settings = currentSettings();
  if ("ok" in settings) throw new Error(settings.detail); // doctor asks only once the settings are known to be good
  const [found, mcp] = await Promise.all([
    findAgents(settings, process.env),
    tryMcpServers(settings.config, process.env),
  ]);
  return { ...agentsReport(found, process.env), mcp };
}

export async function backupStore(file: string): ReturnType<Deps["backupStore"]> {
  const settings = currentSettings();
  if ("ok" in settings) return settings;
  if (settings.databaseUrl !== undefined) return USE_POSTGRES_TOOLS;
  return withStore(async (store) => {
    const { bytes } = await store.backup(file);
    return { ok: true, bytes };
  });
}

export async function restoreStore(file: string): ReturnType<Deps["restoreStore"]> {
  const settings = currentSettings();
  if ("ok" in settings) return settings;
  if (settings.databaseUrl !== undefined) return RESTORE_WITH_POSTGRES;
  if (!existsSync(file)) return { ok: false, code: "not_found", detail: `There is no ${file}.` };
  const target = storeFile(settings);
  const { refuseBadBackup, restoreSqlite } = await import("./store/sqlite/restore.ts");
  return refusedAsValue(async () => {
    const fault = homeFault(settings.home);
    if (fault !== undefined) return unusable(fault);
    await refuseBadBackup(file);
    const notMade = makeHome(settings.home);
    if (notMade !== undefined) return unusable(notMade);
    const restoring = { newStoreId: ids.next("sto"), now: Date.now() };
    const { kept, tokens, rules } = await restoreSqlite(file, target, restoring);
    return { ok: true as const, store: target, kept, tokens, rules };
  });
}

export async function renewStore(): ReturnType<Deps["renewStore"]> {
  const settings = currentSettings();
  if ("ok" in settings) return settings;
  const { databaseUrl } = settings;
  const refused = databaseUrl === undefined ? refuseUnusable(settings) : undefined;
  if (refused) return refused;
  return refusedAsValue(async () => {
    const newStoreId = ids.next("sto");
    if (databaseUrl === undefined) {
      const { renewSqlite } = await import("./store/sqlite/restore.ts");
      return { ok: true as const, ...renewSqlite(storeFile(settings), newStoreId) };
    }
    const { renewPostgres } = await import("./store/postgres/renew.ts");
    return { ok: true as const, ...(await renewPostgres(databaseUrl, newStoreId)) };
  });
}

const USE_POSTGRES_TOOLS: StoreRefusal = {
  ok: false,
  code: "unusable",
  detail: "The data is in PostgreSQL: use pg_dump and pg_restore.",
};
const RESTORE_WITH_POSTGRES: StoreRefusal = {
  ...USE_POSTGRES_TOOLS,
  detail:
    'The data is in PostgreSQL: bring it back with pg_restore while no node runs, then run "holdfast restore --renew".',
};

/** Nothing is made: a store that is not there stays so. */
async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T | StoreRefusal> {
  const settings = currentSettings();
  if ("ok" in settings) return settings;
  const refused = settings.databaseUrl === undefined ? refuseUnusable(settings) : undefined;
  if (refused) return refused;
  return refusedAsValue(async () => {
    const node = ids.next("nod");
    const store = await openStore(settings, { node, host: settings.hostId, clock: Date.now, ids });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  });
}

function refuseUnusable(settings: Settings): StoreRefusal | undefined {
  const fault = homeFault(settings.home);
  if (fault !== undefined) return unusable(fault);
  if (existsSync(storeFile(settings))) return undefined;
  return { ok: false, code: "not_found", detail: `There is no store in ${settings.home}.` };
}

function unusable(detail: string): StoreRefusal {
  return { ok: false, code: "unusable", detail: `${detail}.` };
}

async function refusedAsValue<T>(use: () => Promise<T>): Promise<T | StoreRefusal> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { ok: false, code: error.kind === "busy" ? "in_use" : "unusable", detail: `${error.message}.` };
  }
}

function currentSettings(): Settings | StoreRefusal {
  const read = readSettings(process.env);
  return read.ok ? read.settings : { ok: false, code: "unusable", detail: read.faults };
}

function storeFile({ home }: Settings): string {
  return join(home, "holdfast.db");
}

async function exportPrefixes(store: Store, logs: ReadonlySet<LogId>, folder: string) {
  await mkdir(folder, { recursive: true });
  const exported: { log: string; file: string; events: number }[] = [];
  for (const log of logs) {
    const file = join(folder, `${log}.jsonl`);
    let events = 0;
    const lines = async function* () {
      for await (const event of goodPrefix(store, log)) {
        events++;
        yield `${JSON.stringify(event)}\n`;
      }
    };
    await pipeline(Readable.from(lines()), createWriteStream(file));
    exported.push({ log, file, events });
  }
  return exported;
}
