// The store on PostgreSQL: any number of nodes on one database. Verbs are in the files beside this one, under the same
// names as in ../sqlite; here they meet the connections and duties that they share.
import type { AnyEvent } from "../../session/event.ts";
import type { Position } from "../../session/position.ts";
import type { Ids } from "../../session/ids.ts";
import { authorOf, prepareBatch } from "../batch.ts";
import type { UsageFilled } from "../fill-usage.ts";
import { SnapshotDuty } from "../snapshots.ts";
import {
  REQUEST_LEFT_MS,
  REQUESTS_TAKEN,
  SNAPSHOT_FACTS,
  StorageError,
  type Appended,
  type Claim,
  type LogHead,
  type LogId,
  type Page,
  type Snapshot,
  type Store,
  type Writer,
} from "../store.ts";
import { Tails } from "../tails.ts";
import { timeTexts } from "../time-text.ts";
import { Wakes, type Change } from "../wakes.ts";
import type { Key } from "./append-group.ts";
import { AppendQueue, REPEAT_MS } from "./append-queue.ts";
import { arrangeSession } from "./arrange-session.ts";
import { AsideTexts } from "./aside-texts.ts";
import { readAsk, readAsks } from "./ask.ts";
import { putBlob, readBlob } from "./blob.ts";
import { check } from "./check.ts";
import { claimSessions, lostSessions, type ClaimWish } from "./claim-session.ts";
import { KEEPER_SCOPE, keep, recall } from "./command.ts";
import type { Context } from "./context.ts";
import { createLog, createSession } from "./create-session.ts";
import { Database, openLanes } from "./database.ts";
import { noteDeed, readDeeds } from "./deed.ts";
import { deleteSession } from "./delete-session.ts";
import { putFile, readFile } from "./file.ts";
import { startsIn } from "./draft-starts.ts";
import { forkSession } from "./fork-session.ts";
import { beginImport } from "./import-session.ts";
import { Gathered } from "./gathered.ts";
import { Health } from "./health.ts";
import { Hints } from "./hints.ts";
import { Lane } from "./lane.ts";
import { claimLease, releaseLease, renewLease } from "./lease.ts";
import { LeaseClock } from "./lease-clock.ts";
import { Liveness, RETURN_MS } from "./liveness.ts";
import { addLoginLink, readCredential, readLogins, redeemLoginLink, revokeLogin } from "./login.ts";
import { migrate } from "./migrate.ts";
import { keepFiles } from "./named-files.ts";
import { readNodes, readOverview } from "./overview.ts";
import { Poll } from "./poll.ts";
import {
  readDrafts,
  readEvents,
  readEventsBefore,
  readFacts,
  readHeads,
  type FactsWish,
} from "./read-events.ts";
import { readPages, type PageWish } from "./read-page.ts";
import { forgetProcess, readProcess, readProcesses, readScope } from "./process.ts";
import { finishRequest, readRequest, requestProcess, takeRequests } from "./process-request.ts";
import { readSession, readSessions, readSessionsById } from "./read-sessions.ts";
import { addRule, readRules, removeRule } from "./rule.ts";
import { search } from "./search.ts";
import { countMissed, readSeen, setSeen } from "./seen.ts";
import { moveSession, sessionHost } from "./session-host.ts";
import { strandedSessions } from "./stranded-sessions.ts";
import { succeedSession } from "./succeed-session.ts";
import { tidy } from "./tidy.ts";
import { clearTimer, dueTimers, setTimer } from "./timer.ts";
import { addToken, readTokens, revokeToken } from "./token.ts";
import { fillUsage, nextUsageLeft, readUsage } from "./usage.ts";
import { dropSnapshots, makeSnapshot, readSnapshots, readView } from "./view.ts";
import { storable } from "./wire.ts";
import { WordsDuty } from "./words-duty.ts";

/** The second is for when the first is held up. */
const APPEND_LANES = 2;
const READ_LANES = 2;
/** Each gets a share of a statement's bytes. */
const PAGES_TOGETHER = 256;
/** Whoever goes on with a session reads all of its facts, by the hundred. */
const FACTS_TOGETHER = 32;
const SNAPSHOTS_TOGETHER = 16;
const HEADS_TOGETHER = 256;
const CLAIMS_TOGETHER = 64;

export type PostgresOptions = {
  /** `postgres://…` straight to the server: a pooler that shares connections breaks locks and prepared statements. */
  database: string;
  node: string;
  host: string;
  pid?: number;
  /** Where other nodes reach this one. */
  baseUrl?: string;
  clock: () => number;
  /** For tests that own time: what leases, timers, logins and links go by instead of the database's clock. */
  decidingClock?: () => number;
  ids: Ids;
  random?: () => number;
  /** How long an append is tried while the database is away, before it is refused. */
  repeatMs?: number;
  /** How long other nodes have to come back after the database was away, before they count as gone. */
  returnMs?: number;
  log?: { warn(fields: object, message: string): void };
};

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { database: url, node, host, clock, ids, random = Math.random } = options;
  await migrate(url, node);
  const lost = (what: string) => (error: unknown) =>
    options.log?.warn({ error, node }, `the ${what} connection to PostgreSQL was lost; trying again`);

  const health = new Health();
  const database = new Database(url, node, health);
  const snapshotReads = new Gathered<string, Snapshot | undefined>({
    ask: (sessions) => readSnapshots(database, sessions),
    together: SNAPSHOTS_TOGETHER,
    atOnce: READ_LANES,
  });
  const appending = Array.from({ length: APPEND_LANES }, () => new Lane({ url, node, health }));
  const reading = openLanes(url, node, health, READ_LANES);
  const pages = new Gathered<PageWish, Page>({
    ask: (wishes) => readPages(reading, wishes),
    together: PAGES_TOGETHER,
    atOnce: READ_LANES,
  });
  const facts = new Gathered<FactsWish, AnyEvent[]>({
    ask: (wishes) => readFacts(reading, wishes),
    together: FACTS_TOGETHER,
    atOnce: READ_LANES,
  });
  const heads = new Gathered<LogId, LogHead | undefined>({
    ask: (logs) => readHeads(reading, logs),
    together: HEADS_TOGETHER,
    atOnce: READ_LANES,
  });
  const wakes = new Wakes();
  const tails = new Tails();
  /** What this node's own appends did not write is read by whoever wants it. */
  const heard = (log: LogId, what?: Change) => {
    tails.forget(log);
    wakes.wake(log, what);
  };
  const revoked = (id: string) => wakes.revoked(id);
  const poll: Poll = new Poll({
    database,
    node,
    changed: heard,
    revoked,
    isAlone: (alone) => hints.isAlone(alone),
  });
  const hints: Hints = new Hints({
    url,
    node,
    changed: heard,
    revoked,
    missed: () => poll.now(),
    lost: lost("hint"),
    random,
  });
  const liveness = new Liveness({
    url,
    self: {
      id: node,
      host,
      pid: options.pid ?? process.pid,
      url: options.baseUrl ?? null,
      startedAt: clock(),
    },
    health,
    gone: (other) => wakes.wake(other), // no log, but a reason to look for work
    lost: lost("liveness"),
    random,
    returnMs: options.returnMs ?? RETURN_MS,
  });
  const snapshots = new SnapshotDuty(
    (log) => makeSnapshot(database, log),
    (log, error) => options.log?.warn({ error, log }, "a snapshot could not be made"),
  );
  const words = new WordsDuty(database, (error) =>
    options.log?.warn({ error }, "new words could not be sorted into the search index"),
  );
  const asides = new AsideTexts(database);
  const context: Context = {
    database,
    asides,
    node,
    host,
    ids,
    clock,
    now: () => options.decidingClock?.() ?? null,
    leaseClock: new LeaseClock(database, options.decidingClock !== undefined),
    trustsLocks: () => liveness.trustsLocks(),
    changed(log, rev) {
      poll.knows(log, rev);
      heard(log);
      hints.changed(log, "facts");
    },
    revoked(id) {
      revoked(id);
      hints.revoked(id);
    },
  };
  const claims = new Gathered<ClaimWish, Claim | undefined>({
    ask: (wishes) => claimSessions(context, wishes),
    together: CLAIMS_TOGETHER,
    atOnce: 1,
  });
  const queue = new AppendQueue({
    lanes: appending,
    database,
    prefix: ids.next("nod"),
    now: context.now,
    repeatMs: options.repeatMs ?? REPEAT_MS,
    appended({ log, batch }, { unsnapped, rev, last }) {
      health.wrote();
      const what: Change = batch.facts === 0 ? "drafts" : "facts";
      poll.knows(log, rev);
      if (wakes.isWatched(log)) tails.add(log, batch, last);
      else tails.forget(log);
      wakes.wake(log, what);
      hints.changed(log, what);
      if (unsnapped >= SNAPSHOT_FACTS) snapshots.queue(log);
      words.came(batch.entries.filter(({ search }) => search !== null).length);
    },
  });

  const life = new AbortController();
  let filling: Promise<void> | undefined;
  /** What a database from before has used. Whichever node starts next goes on where this one stopped. */
  const fillAll = async (): Promise<void> => {
    try {
      if (!(await nextUsageLeft(database))) return;
      const { fillAllUsage } = await import("../fill-usage.ts");
      const source = {
        next: () => nextUsageLeft(database),
        facts: (log: LogId, after: Position, limit: number) => facts.ask({ log, after, limit }),
        fill: (filled: UsageFilled) => fillUsage(database, filled),
      };
      await fillAllUsage(source, life.signal);
    } catch (error) {
      if (!life.signal.aborted) options.log?.warn({ error }, "what was used before could not be counted");
    }
  };

  const timeText = timeTexts();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await queue.drained();
    life.abort();
    await Promise.all([snapshots.stop(), words.close(), filling]);
    wakes.close();
    await Promise.all([poll.close(), hints.close(), liveness.close()]);
    await Promise.all([database, reading, ...appending].map((connection) => connection.close()));
  };

  let id: string;
  try {
    await Promise.all([hints.opened(), liveness.opened()]);
    id = await storeId(database, ids);
    filling = fillAll();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    id,
    dialect: "postgres",
    node,

    createLog: (log, kind, events, author) => createLog(context, log, kind, events, author),
    async append(log, events, writer, { expectSeq, note } = {}) {
      const found = asides.of(events);
      const whole = found instanceof Promise ? await found : found;
      if (closing) throw new StorageError("busy", "this store is closed");
      const at = clock();
      const time = timeText(at);
      const batch = prepareBatch(events, time, authorOf(writer), whole);
      return new Promise<Appended>((resolve, reject) => {
        const key = keyOf(writer, note);
        const starts = startsIn(events);
        queue.add({
          log,
          batch,
          at,
          time,
          writer,
          expectSeq,
          key,
          note,
          starts,
          retries: 0,
          resolve,
          reject,
        });
      });
    },
    recall: (command) => recall(database, command),
    keep: (command, result) => keep(database, command, result),
    head: (log) => heads.ask(log),
    page: async (log, after, maxBytes) =>
      tails.page(log, after, maxBytes) ?? pages.ask({ log, after, maxBytes }),
    events: (log, after, limit, only) =>
      only === "facts" ? facts.ask({ log, after, limit }) : readEvents(database, log, after, limit),
    eventsBefore: (log, before, limit) => readEventsBefore(database, log, before, limit),
    drafts: (log, after, before, limit) => readDrafts(database, log, after, before, limit),
    watch: (log, signal, only) => wakes.watch(log, signal, only),
    changes: (signal) => wakes.changes(signal),

    createSession: (session, author, command) => createSession(context, session, author, command),
    session: (session, person) => readSession(database, session, person),
    sessions: (filter, person) => readSessions(database, filter, person),
    sessionsById: (sessions, person) => readSessionsById(database, sessions, person),
    arrangeSession: (session, arrangement, command) => arrangeSession(context, session, arrangement, command),
    deleteSession: (session, force, command, deed) => deleteSession(context, session, force, command, deed),
    forkSession: (from, at, fork, author, command) => forkSession(context, from, at, fork, author, command),
    beginImport: (session) => beginImport(context, session),
    succeedSession: (succession, author, command) => succeedSession(context, succession, author, command),
    async view(session) {
      const folded = await readView(database, session);
      if (folded && folded.facts >= SNAPSHOT_FACTS) snapshots.queue(session); // it has none, or one of another version
      return folded?.view;
    },
    snapshot: (session) => snapshotReads.ask(session),
    dropSnapshots: (session) => dropSnapshots(database, session),
    setSeen: (person, session, position) => setSeen(context, person, session, position),
    seen: (person, session) => readSeen(database, person, session),
    missed: (session, after, person) => countMissed(database, session, after, person),
    search: (query) => search(database, query),
    usage: (filter) => readUsage(database, filter),
    overview: () => readOverview(database),

    ask: (ask) => readAsk(database, ask),
    asks: (filter) => readAsks(database, filter),
    addRule: (rule) => addRule(context, rule),
    rules: (profile) => readRules(database, profile),
    removeRule: (rule, command, deed) => removeRule(context, rule, command, deed),

    noteDeed: (deed) => noteDeed(context, deed),
    deeds: (filter) => readDeeds(database, filter),

    process: (id) => readProcess(database, id),
    processes: (filter) => readProcesses(database, filter),
    forgetProcess: (id) => forgetProcess(database, id),
    scope: (session) => readScope(database, session),
    async requestProcess(request) {
      const requested = await requestProcess(database, request, clock());
      if (requested.ok) context.changed(request.process, 0);
      return requested;
    },
    processRequest: (id) => readRequest(database, id),
    takeRequests: () => takeRequests(database, host, clock(), REQUEST_LEFT_MS, REQUESTS_TAKEN),
    async finishRequest(id, outcome) {
      const process = await finishRequest(database, id, outcome);
      if (process !== undefined) context.changed(process, 0);
    },

    claimSession: (ttlMs, where = { sharedProfiles: [] }, longestWaitMs, except = []) =>
      claims.ask({ ttlMs, where, longestWaitMs, except }),
    sessionHost: (session) => sessionHost(context, session),
    moveSession: (session) => moveSession(context, session),
    lostSessions: (limit) => lostSessions(context, limit),
    strandedSessions: (limit) => strandedSessions(context, limit),
    claimLease: (log, ttlMs) => claimLease(context, log, ttlMs),
    renewLease: (lease) => renewLease(context, lease),
    releaseLease: (lease, rested) => releaseLease(context, lease, rested),
    nodes: () => readNodes(database),
    setTimer: (timer) => setTimer(context, timer),
    clearTimer: (key) => clearTimer(context, key),
    dueTimers: (limit) => dueTimers(context, limit),

    async putBlob(log, bytes) {
      const put = await putBlob(database, log, bytes);
      asides.keep(put.blob, bytes);
      return put;
    },
    blob: (blob) => readBlob(database, blob),
    putFile: (file, bytes, maxBytes, commandOf) => putFile(context, file, bytes, maxBytes, commandOf),
    file: (file) => readFile(database, file),
    keepFiles: (log, files) => keepFiles(context, database, log, files),

    addToken: (token, command, deed) => addToken(context, token, command, deed),
    tokens: () => readTokens(database),
    revokeToken: (token, command, deed) => revokeToken(context, token, command, deed),
    addLoginLink: (link, command, deed) => addLoginLink(context, link, command, deed),
    redeemLoginLink: (hash, login) => redeemLoginLink(context, hash, login),
    logins: (person) => readLogins(context, person),
    revokeLogin: (login, command, deed) => revokeLogin(context, login, command, deed),
    credential: (hash, loginTtlMs) => readCredential(context, hash, loginTtlMs),
    revocations: (signal) => wakes.revocations(signal),

    health: () => health.state(),
    tidy: () => tidy(context),
    check: () => check(database),
    async settle() {}, // it has no thread of its own
    async backup() {
      throw new StorageError(
        "broken",
        "a PostgreSQL store is backed up with pg_dump; this command is for SQLite",
      );
    },
    close: () => (closing ??= close()),
  };
}

function keyOf(writer: Writer, note: unknown): Key | undefined {
  const kept = note === undefined ? null : JSON.stringify(note);
  if (writer.by === "keeper")
    return { scope: KEEPER_SCOPE, key: storable(writer.key), digest: "", note: kept };
  if (writer.by === "executor" || !writer.command) return undefined;
  const { scope, key, digest } = writer.command;
  return { scope: storable(scope), key: storable(key), digest: storable(digest), note: kept };
}

/** Of the first node that ever opened this database. */
async function storeId(database: Database, ids: Ids): Promise<string> {
  await database.query({
    text: "insert into meta (name, value) values ('store', $1) on conflict do nothing",
    values: [ids.next("sto")],
  });
  const [store] = await database.query<{ value: string }>({
    text: "select value from meta where name = 'store'",
  });
  if (!store) throw new StorageError("broken", "this database has no store id: it was not made by Holdfast");
  return store.value;
}
