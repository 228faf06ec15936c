// The embedded store: one file, owned by one process. Verbs are in the files beside this one; what writes runs in the
// writer's thread (writer.ts), but for a draft now and then (lone-writer.ts); what reads runs here, on a connection that
// only reads.
import { existsSync } from "node:fs";
import type { Ids } from "../../session/ids.ts";
import { seqOf, type Position } from "../../session/position.ts";
import { changedRow, EMPTY_ROW } from "../../session/row.ts";
import { authorOf, prepareBatch } from "../batch.ts";
import type { UsageFilled } from "../fill-usage.ts";
import { blobsIn, filesIn } from "../long-text.ts";
import { packView } from "../packed-view.ts";
import { SnapshotDuty } from "../snapshots.ts";
import {
  REQUEST_LEFT_MS,
  REQUESTS_TAKEN,
  SNAPSHOT_FACTS,
  StorageError,
  type Appended,
  type Command,
  type Lease,
  type LogId,
  type Recalled,
  type Store,
  type Writer,
} from "../store.ts";
import { Tails } from "../tails.ts";
import { timeTexts } from "../time-text.ts";
import { Wakes } from "../wakes.ts";
import { titleWords } from "../words.ts";
import { readAsk, readAsks } from "./ask.ts";
import type { Proof, Terms } from "./append.ts";
import { backup } from "./backup.ts";
import { readBlob } from "./blob.ts";
import { isRunnable, lostSessions } from "./claim-session.ts";
import { checkFile } from "./check-thread.ts";
import { KEEPER_SCOPE, recall } from "./command.ts";
import type { Context } from "./context.ts";
import { personOf } from "./create-session.ts";
import { openReader } from "./database.ts";
import { readDeeds } from "./deed.ts";
import { readFile } from "./file.ts";
import { forkSession } from "./fork-session.ts";
import { readCredential, readLogins } from "./login.ts";
import { readNodes, readOverview } from "./overview.ts";
import { takeOwnership } from "./owner.ts";
import { packBatch } from "./packed-batch.ts";
import { makePrivate } from "./private-file.ts";
import { Duty } from "./duty.ts";
import { readDrafts, readEvents, readEventsBefore, readHead } from "./read-events.ts";
import { readPage } from "./read-page.ts";
import { readProcess, readProcesses, readScope } from "./process.ts";
import { isRequested, readRequest } from "./process-request.ts";
import { readSession, readSessions, readSessionsById } from "./read-sessions.ts";
import { readRules } from "./rule.ts";
import { search } from "./search.ts";
import { isFarBehind } from "./search-index.ts";
import { countMissed, readSeen } from "./seen.ts";
import { succeedSession } from "./succeed-session.ts";
import { UNCLAIMED_MS } from "./tidy.ts";
import { dueTimers } from "./timer.ts";
import { readTokens } from "./token.ts";
import { putBlob, putFile } from "./upload.ts";
import { isUsageLeft, nextUsageLeft, readUsage } from "./usage.ts";
import { readSnapshot, readView } from "./view.ts";
import { WriterThread } from "./writer-thread.ts";

/** So that the drafts of turns that end one after the other go together. */
const SWEEP_AFTER_MS = 500;
/** Of an index that is made anew, before others have their turn: some 10 ms. */
const SORTED_CHARS = 64 * 1024;

export type SqliteOptions = {
  file: string;
  node: string;
  host: string;
  pid?: number;
  /** Where this node is reached: told to the one who finds the file in use. */
  url?: string;
  clock: () => number;
  ids: Ids;
  log?: { warn(fields: object, message: string): void };
};

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, node, host, pid = process.pid, url = null, clock, ids } = options;
  const letGo = takeOwnership(file, { pid, url });
  try {
    if (!existsSync(file)) makePrivate(file);
    const self = { id: node, host, pid, url, startedAt: clock() };
    const { writer, store } = await WriterThread.open({ file, newStoreId: ids.next("sto"), self });
    return makeStore(options, store, writer, letGo);
  } catch (error) {
    letGo();
    throw error;
  }
}

function makeStore(options: SqliteOptions, id: string, writer: WriterThread, letGo: () => void): Store {
  const { file, node, host } = options;
  /** The newest of all times that a lease may have been extended at. */
  let newestMs = 0;
  const clock = () => {
    const now = options.clock();
    newestMs = Math.max(newestMs, now);
    return now;
  };
  const reader = openReader(file);
  reader.connection.function("title_words", { deterministic: true }, (title) =>
    titleWords(title as string | null),
  );
  const timeText = timeTexts();
  const wakes = new Wakes();
  const tails = new Tails();
  const changed = (log: LogId) => wakes.wake(log);
  const context: Context = { writer, reader, clock, changed };
  const snapshots = new SnapshotDuty(makeSnapshot, (log, error) =>
    options.log?.warn({ error, log }, "a snapshot could not be made"),
  );
  const purging = new Duty({
    slice: () => writer.call("purge", clock()),
    failed: (error) => options.log?.warn({ error }, "what deleted sessions have left could not be removed"),
  });
  const sweeping = new Duty({
    slice: () => writer.call("sweepSlice"),
    failed: (error) => options.log?.warn({ error }, "drafts whose facts are there could not be removed"),
    restMs: SWEEP_AFTER_MS,
  });
  const sorting = new Duty({
    slice: () => writer.call("sortWords", SORTED_CHARS),
    failed: (error) => options.log?.warn({ error }, "what was said before could not be sorted in for search"),
  });
  for (const duty of [purging, sweeping]) duty.start(); // a crash may have left some
  if (isFarBehind(reader)) sorting.start();
  const life = new AbortController();
  const filling = isUsageLeft(reader) ? fillUsage() : undefined;

  let closing: Promise<void> | undefined;

  return {
    id,
    dialect: "sqlite",
    node,

    async createLog(log, kind, events, author) {
      const now = clock();
      const batch = prepareBatch(events, timeText(now), author);
      const created = await writer.call("createLog", log, kind, packBatch(batch, now));
      if (created.ok) changed(log);
      return created;
    },
    async append(log, events, by, { expectSeq, note } = {}) {
      const now = clock();
      const at = timeText(now);
      const batch = prepareBatch(events, at, authorOf(by));
      const proof = by.by === "executor" ? proofOf(by.lease) : null;
      const terms = termsOf(keyOf(by), expectSeq, note);
      const packed = packBatch(batch, now);
      const reply = await (batch.facts === 0
        ? writer.appendDrafts(log, packed, now, proof, terms)
        : writer.call("append", log, packed, now, proof, terms));
      const appended: Appended = typeof reply === "string" ? { ok: true, position: reply } : reply.appended;
      if (appended.ok && !appended.replayed) {
        appended.at = at;
        if (wakes.isWatched(log)) tails.add(log, batch, appended.position);
        else tails.forget(log);
        wakes.wake(log, batch.facts === 0 ? "drafts" : "facts");
        if (batch.sweeps.length > 0) sweeping.start();
      }
      if (typeof reply !== "string" && reply.due) snapshots.queue(log);
      return appended;
    },
    recall: async (command) => recall(reader, command),
    keep: async <R extends { ok: true }>(command: Command, result: R) =>
      (await writer.call("keep", command, result, clock())) as R | Recalled<R>, // as it was given, now or the first time
    head: async (log) => readHead(reader, log),
    page: async (log, after, maxBytes) =>
      tails.page(log, after, maxBytes) ?? readPage(reader, log, after, maxBytes),
    events: async (log, after, limit, only) => readEvents(reader, log, after, limit, only),
    eventsBefore: async (log, before, limit) => readEventsBefore(reader, log, before, limit),
    drafts: async (log, after, before, limit) => readDrafts(reader, log, after, before, limit),
    watch: (log, signal, only) => wakes.watch(log, signal, only),
    changes: (signal) => wakes.changes(signal),

    async createSession({ first = [], ...session }, author, command) {
      const now = clock();
      const { id: created, ...data } = session;
      const batch = prepareBatch([{ type: "session_created", data }, ...first], timeText(now), author);
      const row = batch.change ? changedRow(EMPTY_ROW, batch.change) : EMPTY_ROW;
      const packed = packBatch({ ...batch, change: undefined }, now);
      const person = personOf(author);
      const kept = { blobs: blobsIn(first), files: filesIn(first) };
      const made = await writer.call("createSession", session, row, packed, kept, person, now, command);
      if (made.ok && !made.replayed) changed(created);
      return made;
    },
    session: async (session, person) => readSession(reader, session, person),
    sessions: async (filter, person) => readSessions(reader, filter, person),
    sessionsById: async (sessions, person) => readSessionsById(reader, sessions, person),
    async arrangeSession(session, arrangement, command) {
      const arranged = await writer.call("arrangeSession", session, arrangement, clock(), command);
      if (arranged.ok && !arranged.replayed) changed(session);
      return arranged;
    },
    async deleteSession(session, { force }, command, deed) {
      const { deleted, gone } = await writer.call("deleteSession", session, force, clock(), command, deed);
      for (const each of gone) {
        tails.forget(each);
        changed(each);
      }
      if (gone.length > 0) purging.start();
      return deleted;
    },
    forkSession: (from, at, fork, author, command) => forkSession(context, from, at, fork, author, command),
    async beginImport(session) {
      const { beginImport } = await import("./import-session.ts");
      return beginImport(context, session, () => purging.start());
    },
    succeedSession: (succession, author, command) => succeedSession(context, succession, author, command),
    async view(session) {
      const folded = await readView(reader, session);
      if (folded && folded.facts >= SNAPSHOT_FACTS) snapshots.queue(session); // it has none, or one of another version
      return folded?.view;
    },
    snapshot: async (session) => readSnapshot(reader, session),
    dropSnapshots: (session) => writer.call("dropSnapshots", session),
    async setSeen(person, session, position) {
      const { set, rose } = await writer.call("setSeen", person, session, position);
      if (rose) changed(session);
      return set;
    },
    seen: async (person, session) => readSeen(reader, person, session),
    missed: async (session, after, person) => countMissed(reader, session, after, person),
    async search(query) {
      await ifThereIsRoom(sortAllWords(), "a search is without what was said last");
      return search(reader, query);
    },
    usage: async (filter) => readUsage(reader, filter),
    overview: async () => readOverview(reader),

    ask: async (ask) => readAsk(reader, ask),
    asks: async (filter) => readAsks(reader, filter),
    addRule: (rule) => writer.call("addRule", rule, clock()),
    rules: async (profile) => readRules(reader, profile),
    removeRule: (rule, command, deed) => writer.call("removeRule", rule, clock(), command, deed),

    noteDeed: (deed) => writer.call("noteDeed", deed, clock()),
    deeds: async (filter) => readDeeds(reader, filter),

    process: async (id) => readProcess(reader, id),
    processes: async (filter) => readProcesses(reader, filter),
    forgetProcess: (id) => writer.call("forgetProcess", id),
    scope: async (session) => readScope(reader, session),
    async requestProcess(request) {
      const requested = await writer.call("requestProcess", request, clock());
      if (requested.ok) changed(request.process);
      return requested;
    },
    processRequest: async (id) => readRequest(reader, id),
    takeRequests: async () =>
      isRequested(reader) ? writer.call("takeRequests", host, clock(), REQUEST_LEFT_MS, REQUESTS_TAKEN) : [],
    async finishRequest(id, outcome) {
      const process = await writer.call("finishRequest", id, outcome);
      if (process !== undefined) changed(process);
    },

    // Looked for every second, mostly in vain: to wake the writer for that was a third of what an idle server costs.
    async claimSession(ttlMs, _, longestWaitMs, except = []) {
      const now = clock();
      const wentBack = now < newestMs; // the writer has to know: leases may now last too long
      if (!wentBack && !isRunnable(reader, now, longestWaitMs)) return undefined;
      const claimed = await writer.call("claimSession", node, host, ttlMs, now, longestWaitMs, except);
      if (wentBack) newestMs = now;
      return claimed;
    },
    sessionHost: async (session) => readHead(reader, session) && { host, here: host, lost: false },
    moveSession: async (session) =>
      readHead(reader, session) ? { ok: true } : { ok: false, code: "not_found" },
    lostSessions: async (limit) => lostSessions(reader, node, limit),
    strandedSessions: async () => [], // there is one host, and who asks is there
    claimLease: (log, ttlMs) => writer.call("claimLease", log, node, ttlMs, clock()),
    renewLease: (lease) => writer.call("renewLease", lease, clock()),
    releaseLease: (lease, rested) =>
      writer.call("releaseLease", lease, rested === undefined ? undefined : seqOf(rested), clock()),
    nodes: async () => readNodes(reader, node),
    setTimer: (timer) => writer.call("setTimer", timer),
    clearTimer: (key) => writer.call("clearTimer", key),
    dueTimers: async (limit) => dueTimers(reader, limit, clock()),

    putBlob: (log, bytes) => putBlob(context, log, bytes),
    blob: async (blob) => readBlob(reader, blob),
    putFile: (info, bytes, maxBytes, commandOf) => putFile(context, info, bytes, maxBytes, commandOf),
    file: async (id) => readFile(reader, id),
    keepFiles: (log, files) => writer.call("keepFiles", log, files, clock()),

    addToken: (token, command, deed) => writer.call("addToken", token, clock(), command, deed),
    tokens: async () => readTokens(reader),
    async revokeToken(token, command, deed) {
      const revoked = await writer.call("revokeToken", token, clock(), command, deed);
      if (revoked.ok) wakes.revoked(token);
      return revoked;
    },
    addLoginLink: (link, command, deed) => writer.call("addLoginLink", link, clock(), command, deed),
    redeemLoginLink: (hash, login) => writer.call("redeemLoginLink", hash, login, clock()),
    logins: async (person) => readLogins(reader, person, clock()),
    async revokeLogin(login, command, deed) {
      const revoked = await writer.call("revokeLogin", login, clock(), command, deed);
      if (revoked.ok) wakes.revoked(login);
      return revoked;
    },
    async credential(hash, loginTtlMs) {
      const found = readCredential(reader, hash, clock());
      if (found?.idle)
        await ifThereIsRoom(
          writer.call("markUse", found.credential, loginTtlMs, clock()),
          `the use of ${found.credential.id} could not be noted`,
        );
      return found?.credential;
    },
    revocations: (signal) => wakes.revocations(signal),

    health: () => writer.health(),
    async tidy() {
      while (await writer.call("tidySlice", node, clock()));
      while (await writer.call("sweepFiles", clock()));
      const putBefore = clock() - UNCLAIMED_MS;
      for (const blob of await writer.call("orphanedBlobs", putBefore))
        while (await writer.call("dropBlob", blob, putBefore));
    },
    check: () => checkFile(file),
    backup: (target) => backup(file, target),
    settle: () => ifThereIsRoom(writer.call("collectGarbage"), "the writer's thread keeps its garbage"),
    close: () => (closing ??= close()),
  };

  async function makeSnapshot(log: LogId, signal: AbortSignal): Promise<void> {
    const folded = await readView(reader, log, signal);
    if (folded) await writer.call("saveSnapshot", log, folded.view.position, packView(folded.view));
  }

  async function sortAllWords(): Promise<void> {
    while (await writer.call("sortWords"));
  }

  /** What a file from before has used. The next start goes on where this one stopped. */
  async function fillUsage(): Promise<void> {
    try {
      const { fillAllUsage } = await import("../fill-usage.ts");
      const source = {
        next: async () => nextUsageLeft(reader),
        facts: async (log: LogId, after: Position, limit: number) =>
          readEvents(reader, log, after, limit, "facts"),
        fill: (filled: UsageFilled) => writer.call("fillUsage", filled),
      };
      await fillAllUsage(source, life.signal);
    } catch (error) {
      options.log?.warn({ error }, "what was used before could not be counted");
    }
  }

  /** On a full disk whoever makes room must still be let in, and find what is to go. */
  async function ifThereIsRoom(write: Promise<unknown>, otherwise: string): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      options.log?.warn({ error }, otherwise);
    }
  }

  async function close(): Promise<void> {
    life.abort();
    await Promise.all([snapshots.stop(), purging.stop(), sweeping.stop(), sorting.stop(), filling]);
    wakes.close();
    reader.close();
    await writer.close();
    letGo();
  }
}

function keyOf(writer: Writer): Command | undefined {
  if (writer.by === "keeper") return { scope: KEEPER_SCOPE, key: writer.key, digest: "" };
  return writer.by === "client" ? writer.command : undefined;
}

function proofOf({ holder, epoch, ttlMs }: Lease): Proof {
  return [holder, epoch, ttlMs];
}

function termsOf(key: Command | undefined, expectSeq: number | undefined, note: unknown): Terms | null {
  if (key === undefined && expectSeq === undefined && note === undefined) return null;
  return { ...(key && { key }), ...(expectSeq !== undefined && { expectSeq }), note };
}
