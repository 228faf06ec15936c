// For tests: an executor over a real store with real commands, and a scripted model.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { Spawner } from "../process/spawner.ts";
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { makeIds } from "../session/ids.ts";
import { USUAL_LIMITS } from "../session/next-step.ts";
import { START } from "../session/position.ts";
import { NO_SECRETS, type Secrets } from "../secret/secrets.ts";
import { storedText } from "../store/long-text.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";
import { ask } from "../tool/ask.ts";
import { delegate } from "../tool/delegate.ts";
import { edit } from "../tool/edit.ts";
import { read } from "../tool/read.ts";
import { search } from "../tool/search.ts";
import { shell } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import { write } from "../tool/write.ts";
import { wallClock } from "./clock.ts";
import { sessionDelegates } from "./delegates.ts";
import { DraftBeat } from "./draft-beat.ts";
import type { DrainContext, Profile } from "./drain.ts";
import { Executor } from "./executor.ts";
import { FileLanes } from "./file-lanes.ts";
import { processCommands } from "./process-commands.ts";
import { USUAL_RETRY } from "./retry-time.ts";
import { saveRule } from "./save-rule.ts";
import { scriptedDriver, type Script } from "./scripted-driver.ts";
import { withoutSecrets } from "./without-secrets.ts";
import { openWorkspace } from "./workspace.ts";

export const owner = { person: "owner" };
export const ids = makeIds(Date.now, randomBytes);

const TOOLS = [shell, read, write, edit, search, ask, delegate].map(
  (tool) => [tool.name, tool as Tool] as const,
);

export type Scene = {
  readonly store: Store;
  readonly workspace: string;
  /** Starts an executor whose model says what the script says; the one before it is stopped. */
  run(
    script: Script,
    profile?: Partial<Profile>,
    context?: Partial<DrainContext>,
    maxTurns?: number,
    /** Beside the default one, and like it but for this. */
    others?: Record<string, Partial<Profile>>,
  ): Promise<ReturnType<typeof scriptedDriver>>;
  stop(): Promise<void>;
  /** How many sessions the executor works on. */
  readonly active: number;
  /** To a session, or to a new one. */
  send(text: string, session?: string): Promise<string>;
  append(session: string, ...events: NewEvent[]): Promise<void>;
  /** Resolves with the log once it holds so many facts of this type. */
  untilFact(session: string, type: string, count?: number): Promise<AnyEvent[]>;
  /** From now on it is later. */
  advance(ms: number): void;
};

/** One for each test of the file that asks for it. */
export function useScene(): Scene {
  let folder: string;
  let store: Store;
  let spawner: Spawner;
  let executor: Executor | undefined;
  let offsetMs = 0;
  const now = () => Date.now() + offsetMs;
  const workspace = () => join(folder, "work");

  beforeEach(async () => {
    offsetMs = 0;
    folder = await mkdtemp(join(tmpdir(), "holdfast-executor-"));
    await mkdir(workspace());
    const file = join(folder, "holdfast.db");
    store = await openSqliteStore({ file, node: "nod_1", host: "here", clock: now, ids });
    spawner = new Spawner();
  });
  afterEach(async () => {
    await executor?.stop();
    executor = undefined;
    await store.close();
    await spawner.close();
    // The shim of a command that was ended may still be writing down how.
    await rm(folder, { recursive: true, maxRetries: 20, retryDelay: 50 });
  });

  function contextOf(profiles: ReadonlyMap<string, Profile>, secrets: Secrets): DrainContext {
    const kept = withoutSecrets(store, secrets);
    return {
      store: kept,
      profile: (name) => profiles.get(name) ?? { unusable: `There is no profile "${name}".` },
      commands: processCommands({
        folder: join(folder, "processes"),
        spawner,
        env: () => ({ PATH: process.env["PATH"] ?? "" }),
        sandbox: () => undefined,
        mask: secrets.mask,
      }),
      delegates: sessionDelegates({
        store: kept,
        profile: (name) => (profiles.has(name) ? { ok: true } : { ok: false, why: `There is no "${name}".` }),
        workspace: () => Promise.resolve({ path: workspace() }),
      }),
      openWorkspace,
      hidden: folder,
      savedRules: async (name) =>
        (await kept.rules(name)).map(({ tool, match, decision }) => ({ tool, match, decision })),
      saveRule: (name, rule, asked) => saveRule(kept, { ...rule, id: ids.next("rul"), profile: name }, asked),
      longText: (session, text) => storedText(kept, session, text),
      secrets,
      newAsk: () => ids.next("ask"),
      clock: { now, after: wallClock.after },
      beat: new DraftBeat(wallClock),
      lanes: new FileLanes(),
      chance: () => 0.5,
      limits: USUAL_LIMITS,
      retry: USUAL_RETRY,
      summaryTimeoutMs: 120_000,
      log: { info: () => {}, error: (detail, message) => console.error(message, detail) },
    };
  }

  const scene: Scene = {
    get store() {
      return store;
    },
    get workspace() {
      return workspace();
    },
    async run(script, changes = {}, around = {}, maxTurns = 8, others = {}) {
      await executor?.stop();
      const driver = scriptedDriver(script);
      const profile: Profile = {
        driver,
        model: "scripted/one",
        instructions: () => "",
        workspace: () => ({ path: workspace(), scratch: false }),
        toolbox: toolbox(new Map(TOOLS)),
        mcp: [],
        policy: { approvals: "auto", config: [] },
        contextTokens: 128_000,
        sandboxed: false,
        network: true,
        passEnv: [],
        price: (_, usage) => usage,
        ...changes,
      };
      const profiles = new Map([["default", profile]]);
      for (const [name, differs] of Object.entries(others)) profiles.set(name, { ...profile, ...differs });
      const context = contextOf(profiles, around.secrets ?? NO_SECRETS);
      executor = new Executor({ ...context, ...around }, { maxTurns, leaseMs: 15_000, pollMs: 50 });
      executor.start();
      return driver;
    },
    stop: async () => executor?.stop(),
    get active() {
      return executor?.active ?? 0;
    },
    async send(text, session) {
      const input: NewEvent = {
        type: "input_admitted",
        data: { input: ids.next("inp"), kind: "prompt", text },
      };
      if (session !== undefined) {
        await scene.append(session, input);
        return session;
      }
      const id = ids.next("ses");
      await store.createSession({ id, profile: "default", workspace: workspace(), first: [input] }, owner);
      return id;
    },
    async append(session, ...events) {
      const appended = await store.append(session, events, { by: "client", author: owner });
      if (!appended.ok) throw new Error(`${session} takes no ${events[0]?.type}: ${appended.code}`);
    },
    async untilFact(session, type, count = 1) {
      const over = new AbortController();
      const wakes = store.watch(session, over.signal);
      try {
        for (;;) {
          const events = await store.events(session, START, 10_000);
          if (events.filter((event) => event.type === type).length >= count) return events;
          await wakes.next();
        }
      } finally {
        over.abort();
      }
    },
    advance(ms) {
      offsetMs += ms;
    },
  };
  return scene;
}

export function types(events: readonly AnyEvent[]): string[] {
  return events.filter(({ type }) => type !== "draft").map(({ type }) => type);
}

export function results(
  events: readonly AnyEvent[],
): { call: string; status: string; result: string; exit?: number }[] {
  return events.flatMap(({ type, data }) => (type === "tool_finished" ? [data as never] : []));
}
