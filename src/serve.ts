// `holdfast serve`: the store, the server over it, the agents that work on it, and an orderly end.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agents } from "./agents.ts";
import { keepHostId } from "./config/host-id.ts";
import { readSettings, type Flags, type Settings } from "./config/settings.ts";
import { VERSION } from "./config/version.ts";
import { makeHome } from "./home.ts";
import { knownSecrets } from "./profile/known-secrets.ts";
import { keepSecret, type Secrets } from "./secret/secrets.ts";
import { keepCliToken } from "./server/cli-token.ts";
import { makeLog } from "./server/log.ts";
import { removeServerFile, writeServerFile } from "./server/server-file.ts";
import { BindRefused, startServer, type RunningServer } from "./server/server.ts";
import { makeIds } from "./session/ids.ts";
import { settleDown } from "./settle-down.ts";
import { StorageError, type Store, type StoreHealth } from "./store/store.ts";
import { openStore } from "./open-store.ts";

const TIDY_EVERY_MS = 3600_000;
/** Whatever still holds us then is left behind: the log is safe at any instruction. */
const OUT_WITHIN_MS = 4_500;

/** Something that a person can mend: its message is all that is told, its kind is what the process ends with. */
export class CannotServe extends Error {
  readonly kind: "failed" | "usage" | "conflict";
  constructor(kind: CannotServe["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Resolves when the server has ended in an orderly way; throws what kept it from starting, to be told as it is. */
export async function serve(flags: Flags, { json = false } = {}): Promise<void> {
  const read = readSettings(process.env, flags);
  if (!read.ok) throw new CannotServe("usage", read.faults);
  const { settings } = read;
  const known = knownSecrets(settings, process.env);
  const log = makeLog(settings.logLevel, undefined, keepSecret(known));
  const ids = makeIds(Date.now, randomBytes);
  const fault = makeHome(settings.home);
  if (fault !== undefined) throw new CannotServe("failed", fault);

  const asked = untilAsked();
  const store = await openStore(settings, {
    node: ids.next("nod"),
    host: settings.hostId,
    clock: Date.now,
    ids,
    log,
  }).catch((error: unknown) => {
    throw error instanceof StorageError ? cannotOpen(error, settings) : error;
  });
  let server: RunningServer | undefined;
  let agents: Agents | undefined;
  const over = new AbortController();
  try {
    await unlessFull(() => keepHostId(settings.home), log);
    const cliToken = await unlessFull(() => keepCliToken(settings.home, { store, ids, randomBytes }), log);
    const secrets = keepSecret([...known, { name: "cli-token", value: cliToken ?? "" }]);
    server = await listen(settings, store, secrets, () => agents, log);
    const { url, localUrl } = server;
    const newLink = server.loginLink.bind(server, "owner");
    const damaged = server.foundDamage.bind(server);
    const about = { url: localUrl, pid: process.pid, version: VERSION, store: store.id };
    await unlessFull(() => writeServerFile(settings.home, about), log);
    const login = await unlessFull(newLink, log);
    const health = store.health();
    const state = { url, version: VERSION, store: store.id, dialect: store.dialect };
    if (health.ok) log.info(state, "ready");
    else log.warn({ ...state, reason: health.reason }, "listening, but not ready");
    const home = settings.databaseUrl === undefined ? settings.home : undefined;
    const greeting = { version: VERSION, url, home, health, login };
    // Last: it is for a person, who looks there, or the one line on stdout for a program.
    process.stdout.write(`${json ? greetingJson(greeting) : greetingWords(greeting)}\n`);
    // Loaded once clients are served: a restart is felt by those who wait for an answer, not by agents.
    const { startAgents } = await import("./agents.ts");
    agents = await startAgents({ settings, store, ids, env: process.env, secrets, damaged, log });
    flushCompileCache(); // Node does it at exit only, and a server that is killed never gets there
    const { isAtWork } = agents;
    settleDown({ store, isAtWork, over: over.signal }).catch((error: unknown) =>
      log.warn({ err: error }, "garbage of the start is left"),
    );
    const stopTidying = tidyNowAndThen(store, log);
    const signal = await asked;
    log.info({ signal }, "shutting down");
    setTimeout(() => process.exit(1), OUT_WITHIN_MS).unref();
    stopTidying();
  } finally {
    over.abort();
    // Side by side: readers are told goodbye while the last words of their agents are written.
    const stopped = agents?.stop();
    await Promise.all([server?.close(stopped), stopped]);
    if (server !== undefined) removeServerFile(settings.home, process.pid);
    await store.close();
  }
}

async function listen(
  settings: Settings,
  store: Store,
  secrets: Secrets,
  agents: () => Agents | undefined,
  log: ReturnType<typeof makeLog>,
): Promise<RunningServer> {
  const { host, port, hosts, behindProxy, token, tls } = settings;
  if (token !== undefined && token.length < 16)
    log.warn("HOLDFAST_TOKEN is short: whoever guesses it has everything");
  try {
    return await startServer({
      store,
      version: VERSION,
      host,
      port,
      hosts,
      behindProxy,
      tls: tls && {
        cert: await readFile(resolve(settings.home, tls.cert)),
        key: await readFile(resolve(settings.home, tls.key)),
      },
      token,
      agents,
      secrets,
      webFolder: fileURLToPath(new URL("../web-dist", import.meta.url)),
      backupFolder: resolve(settings.home, "backup"),
      log,
      now: Date.now,
      randomBytes,
    });
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (error instanceof BindRefused) throw new CannotServe("usage", message);
    if (syscall === "open") throw new CannotServe("failed", `[server.tls] in config.toml: ${message}`);
    if (code === "EADDRINUSE")
      throw new CannotServe(
        "failed",
        `Port ${port} on ${host} is taken. Is another holdfast running? Choose one with --port.`,
      );
    if (code === "EACCES")
      throw new CannotServe("failed", `Port ${port} on ${host} may not be used by this user.`);
    throw error;
  }
}

function cannotOpen({ kind, message }: StorageError, { home, databaseUrl }: Settings): CannotServe {
  if (kind === "broken")
    return new CannotServe("failed", `${message}: run "holdfast doctor", which names what is damaged`);
  // A file that is busy has another owner; a database that is busy is away.
  if (kind === "busy") return new CannotServe(databaseUrl === undefined ? "conflict" : "failed", message);
  return new CannotServe(
    "failed",
    `The disk of ${home} is full, and the server can't start without a few MB: free some there, then start it again.`,
  );
}

/** A full disk is no reason not to start: someone has to be let in who deletes. */
async function unlessFull<T>(
  write: () => Promise<T>,
  log: ReturnType<typeof makeLog>,
): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    const isFull =
      error instanceof StorageError
        ? error.kind === "full"
        : ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
    if (!isFull) throw error;
    log.warn({ reason: (error as Error).message }, "not written at the start: the disk is full");
    return undefined;
  }
}

/** What whoever started it wants to know. */
type Greeting = {
  version: string;
  url: string;
  /** Undefined where PostgreSQL keeps everything. */
  home: string | undefined;
  health: StoreHealth;
  /** None when there was no room for one. */
  login: { url: string; expiresAt: string } | undefined;
};

function greetingWords({ version, url, home, health, login }: Greeting): string {
  const where = home === undefined ? "PostgreSQL" : `SQLite in ${home}`;
  const lines = [`Holdfast ${version} at ${url} (${where})`];
  if (!health.ok) lines.push(`Not ready: ${health.reason}. Sessions can be read, and deleted to make room.`);
  lines.push(
    login === undefined
      ? "For a link to log in with, run holdfast login once there is room."
      : `Log in once, within 10 minutes: ${login.url}`,
  );
  return lines.join("\n");
}

function greetingJson({ version, url, home, health, login }: Greeting): string {
  const store = home === undefined ? { dialect: "postgres" } : { dialect: "sqlite", home };
  return JSON.stringify({
    version,
    url,
    store,
    ready: health.ok,
    ...(!health.ok && { reason: health.reason }),
    login: login ?? null,
  });
}

/** The first signal asks, the second does not wait. */
function untilAsked(): Promise<NodeJS.Signals> {
  const { promise, resolve: ask } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      ask(signal);
    });
  return promise;
}

function tidyNowAndThen(store: Store, log: ReturnType<typeof makeLog>): () => void {
  const tidy = () => {
    store.tidy().catch((error: unknown) => log.warn({ err: error }, "the store could not be tidied"));
  };
  const timer = setInterval(tidy, TIDY_EVERY_MS).unref();
  return () => clearInterval(timer);
}
