// The agents of a server: profiles from the configuration, an executor that works on their sessions, and what it works with.
import { join } from "node:path";
import type { Settings } from "./config/settings.ts";
import type { ToolName } from "./config/schema.ts";
import { builtinDriver } from "./driver/builtin/driver.ts";
import { locateModel } from "./driver/builtin/endpoint.ts";
import { wallClock } from "./executor/clock.ts";
import type { CommandStart } from "./executor/commands.ts";
import { sessionDelegates } from "./executor/delegates.ts";
import { workerOf, type DrainContext, type Profile } from "./executor/drain.ts";
import { DraftBeat } from "./executor/draft-beat.ts";
import { Executor } from "./executor/executor.ts";
import { FileLanes } from "./executor/file-lanes.ts";
import { processCommands } from "./executor/process-commands.ts";
import { USUAL_RETRY } from "./executor/retry-time.ts";
import { saveRule } from "./executor/save-rule.ts";
import { withoutSecrets } from "./executor/without-secrets.ts";
import { openWorkspace } from "./executor/workspace.ts";
import { childEnvironment } from "./process/environment.ts";
import { sandboxFor, type SandboxPlan } from "./process/sandbox.ts";
import { Spawner } from "./process/spawner.ts";
import { findAgents, type FoundAgents } from "./profile/find.ts";
import type { ListedProfile } from "./profile/listed.ts";
import { mcpServersOf } from "./profile/mcp-servers.ts";
import { resolveProfile } from "./profile/resolve.ts";
import type { Secrets } from "./secret/secrets.ts";
import type { Ids } from "./session/ids.ts";
import { USUAL_LIMITS } from "./session/next-step.ts";
import { storedText } from "./store/long-text.ts";
import type { DamagedEvent, Store, Timer } from "./store/store.ts";
import { expireAsk } from "./keeper/expire-ask.ts";
import { keepProcesses, type LiveProcesses } from "./keeper/keep-processes.ts";
import { takeHome } from "./keeper/take-home.ts";
import { tellGone } from "./keeper/tell-gone.ts";
import { Timers } from "./keeper/timers.ts";
import { ask } from "./tool/ask.ts";
import { delegate } from "./tool/delegate.ts";
import { edit } from "./tool/edit.ts";
import { read } from "./tool/read.ts";
import { search } from "./tool/search.ts";
import { shell } from "./tool/shell.ts";
import type { McpServer } from "./tool/mcp/server.ts";
import type { Tool } from "./tool/tool.ts";
import { write } from "./tool/write.ts";

const POLL_MS = 1_000;

export type Agents = {
  profiles: readonly ListedProfile[];
  processes: LiveProcesses;
  /** Why this model can't be used; undefined when it can. */
  modelFault(model: string): string | undefined;
  /** Whether any of them is in a turn here. */
  isAtWork: () => boolean;
  /** No new work; what runs is broken off with a fact, commands go on by themselves, leases are given back. */
  stop(): Promise<void>;
};

export type AgentsOptions = {
  settings: Settings;
  store: Store;
  ids: Ids;
  env: NodeJS.ProcessEnv;
  secrets: Secrets;
  /** Who tells those that would send something to it. */
  damaged: (damage: DamagedEvent) => void;
  log: DrainContext["log"] & { warn(detail: object, message: string): void };
};

/** Takes up what waits in the store, and what comes. */
export async function startAgents(given: AgentsOptions): Promise<Agents> {
  const { settings, secrets, ids, env, damaged, log } = given;
  const store = withoutSecrets(given.store, secrets);
  const options = { ...given, store };
  const { home, config } = settings;
  const found = await findAgents(settings, env);
  for (const notice of found.notices) log.warn({}, notice);
  const folder = join(home, "processes");
  await takeHome({ store, host: settings.hostId, folder, log });
  const spawner = new Spawner(); // its helper comes with the first command: an idle server need not carry 48 MB
  const keeper = keepProcesses(options);
  const mcp = mcpServersOf(config, env, log);
  const profiles = resolveProfiles(options, found, keeper.tool, mcp);
  const profile = (name: string): Profile | { unusable: string } =>
    profiles.get(name) ?? { unusable: noProfile(name, [...profiles.keys()]) };

  const context: DrainContext = {
    store,
    profile,
    commands: processCommands({
      folder,
      spawner,
      env: ({ session, profile: name }) =>
        childEnvironment(env, configOf(found, name)?.passEnv ?? [], { HOLDFAST_SESSION: session }),
      sandbox: (command) => sandboxPlan(found, home, command),
      mask: secrets.mask,
    }),
    delegates: sessionDelegates({
      store,
      profile(name) {
        const other = profile(name);
        return "unusable" in other ? { ok: false, why: other.unusable } : { ok: true };
      },
      async workspace(parent) {
        const own = profile(parent.view.meta.profile);
        if ("unusable" in own) return { refused: own.unusable };
        const workspace = own.workspace(workerOf(parent));
        const fault = await openWorkspace(workspace);
        return fault === undefined ? { path: workspace.path } : { refused: fault };
      },
    }),
    savedRules: async (name) =>
      (await store.rules(name)).map(({ tool, match, decision }) => ({ tool, match, decision })),
    saveRule: (name, rule, asked) => saveRule(store, { ...rule, id: ids.next("rul"), profile: name }, asked),
    openWorkspace,
    hidden: home,
    longText: (session, text) => storedText(store, session, text),
    secrets,
    newAsk: () => ids.next("ask"),
    leftRunning: () => keeper.ends.look(),
    damaged,
    clock: wallClock,
    beat: new DraftBeat(wallClock),
    lanes: new FileLanes(),
    chance: Math.random,
    limits: {
      ...USUAL_LIMITS,
      maxSteps: config.executor.maxSteps,
      maxWaitMs: config.executor.retryMinutes * 60_000,
    },
    summaryTimeoutMs: config.compaction.summaryTimeoutSeconds * 1000,
    retry: { ...USUAL_RETRY, totalMs: config.executor.retryMinutes * 60_000 },
    log,
  };
  const executor = new Executor(context, {
    maxTurns: config.executor.maxTurns,
    leaseMs: config.executor.leaseSeconds * 1000,
    pollMs: POLL_MS,
    place: {
      sharedProfiles: found.profiles.flatMap((each) => (each.config.sharedWorkspace ? [each.name] : [])),
    },
  });
  const act = async (timer: Timer) => (await expireAsk(store, timer)) || tellGone(store, timer);
  const timers = new Timers({ store, clock: wallClock, pollMs: POLL_MS, act, log });
  executor.start();
  keeper.start();
  timers.start();
  if (store.dialect === "postgres") prepareToTakeOver(profiles.values(), log);
  return {
    profiles: found.listed,
    processes: keeper.live,
    modelFault(model) {
      const located = locateModel(model, found.providers, env);
      return located.ok ? undefined : located.fault.message;
    },
    isAtWork: () => executor.active > 0,
    async stop() {
      await Promise.all([executor.stop(), keeper.stop(), timers.stop()]);
      await Promise.all([spawner.close(), ...Array.from(mcp.values(), (server) => server.close())]);
    },
  };
}

/** What another node worked on may become ours at any moment, all of it at once: not the time to load packages. */
function prepareToTakeOver(
  profiles: Iterable<Profile | { unusable: string }>,
  log: AgentsOptions["log"],
): void {
  for (const profile of profiles) {
    if ("unusable" in profile) continue;
    const { driver, model } = profile;
    driver.prepare?.(model).catch((error: unknown) => {
      log.warn({ err: error, model }, "what this model's steps need could not be loaded yet");
    });
  }
}

function resolveProfiles(
  { settings, env }: AgentsOptions,
  { profiles, providers, sandbox }: FoundAgents,
  process: Tool,
  mcp: ReadonlyMap<string, McpServer>,
): ReadonlyMap<string, Profile | { unusable: string }> {
  const driver = builtinDriver({ providers, env });
  const tools = [shell, process, read, write, edit, search, ask, delegate];
  const parts = {
    driver,
    tools: new Map(tools.map((tool) => [tool.name as ToolName, tool as Tool])),
    mcp,
    sandbox,
    prices: settings.config.prices,
    scratchFolder: join(settings.home, "workspaces"),
  };
  return new Map(profiles.map((profile) => [profile.name, resolveProfile(profile, parts)]));
}

function sandboxPlan(
  found: FoundAgents,
  home: string,
  { profile, workspace }: CommandStart,
): SandboxPlan | { refused: string } | undefined {
  const config = configOf(found, profile);
  const sandbox = sandboxFor(config?.sandbox ?? "auto", found.sandbox);
  switch (sandbox.kind) {
    case "none":
      return undefined;
    case "refused":
      return { refused: sandbox.reason };
    case "bubblewrap":
      return { bubblewrap: sandbox, workspace, hidden: home, network: config?.sandboxNetwork ?? true };
  }
}

function configOf({ profiles }: FoundAgents, name: string) {
  return profiles.find((profile) => profile.name === name)?.config;
}

function noProfile(name: string, known: readonly string[]): string {
  return `There is no profile "${name}". There are: ${known.join(", ")}.`;
}
