// The seam: everything that Holdfast keeps, as domain verbs. Each verb is one transaction; expected outcomes are
// values, surprises throw a StorageError. `sqlite/` and `postgres/` hold the same file names, so that a diff shows
// the dialect, and one contract suite (test/contract) runs on both.
import type { AskAnswer, AskState } from "../session/asks.ts";
import type { Deed } from "../session/deed.ts";
import type { AnyEvent, AskDetail, By, FactData, NewEvent, NewFact, Rule } from "../session/event.ts";
import type { Brought } from "../session/import.ts";
import type { Position } from "../session/position.ts";
import type { ProcessStatus } from "../session/processes.ts";
import type { Attention, RowState, Status } from "../session/row.ts";
import type { UsageCount } from "../session/usage-changes.ts";
import type { View } from "../session/view.ts";

export type LogId = string; // `ses_…`, `tsk_…`: a log carries more than sessions
export type NodeId = string;

/** One key, one effect: the verb's result is kept under it, in the verb's own transaction, and given again. */
export type Command = {
  /** Whose keys these are: the same text from another person is another key. */
  scope: string;
  key: string;
  /** Of what was asked, so that another request under the same key is told apart. */
  digest: string;
};

/** A writer carries its proof, so an unguarded append can't be typed. */
export type Writer =
  | { by: "client"; author: By; command?: Command }
  | { by: "executor"; lease: Lease } //    refused once a newer epoch exists; each append also extends the lease
  | { by: "keeper"; keeper: string; key: string }; // one key, one append: "exit:prc_…"

export type Lease = { log: LogId; holder: NodeId; epoch: number; ttlMs: number };

export type Refused =
  | { ok: false; code: "not_found" }
  | { ok: false; code: "ended"; successor: string | null }
  | { ok: false; code: "lease_lost" }
  | { ok: false; code: "moved"; position: Position } // the log is no longer where the writer thought it was
  | { ok: false; code: "key_reused" }; //                another request came under this command key

/** `at` is what its events say; who repeats a command gets its position alone. */
export type Appended =
  | { ok: true; position: Position; at?: string; note?: unknown; replayed?: true }
  | Refused;

export type Recalled<R> = (R & { replayed: true }) | { ok: false; code: "key_reused" };

export type AppendOptions = {
  /** Append only if the last fact is still this one: decide on a view, then write what was decided. */
  expectSeq?: number;
  /** Kept with the command's result and given back with it, so that a retry gets the same ids. */
  note?: unknown;
};

/** Stored JSON texts joined by commas, as bytes: sent as they are, never parsed and written again. */
export type Page = {
  bytes: Buffer;
  count: number;
  /** Of the last event in `bytes`, or the `after` that was asked for. */
  last: Position;
  /** Nothing more was there when this was read. */
  upToDate: boolean;
  /** For whoever is the only one to have the page, once `bytes` have been written: they are empty from then on. */
  release?: (() => void) | undefined;
};

export type LogHead = {
  id: LogId;
  kind: LogKind;
  position: Position;
  /** Nothing is appended after the end. */
  closed: boolean;
};
export type LogKind = "session" | "task";

export type Origin = { kind: "fork" | "task" | "delegation"; session: string; at?: Position };

export type NewSession = {
  id: string;
  profile: string;
  title?: string;
  workspace?: string;
  lane?: string;
  model?: string;
  origin?: Origin;
  /** Facts after `session_created`, in the same commit: the first input. */
  first?: NewEvent[];
};

export type SessionRow = {
  id: string;
  title: string | null;
  profile: string;
  workspace: string | null;
  lane: string | null;
  model: string | null;
  status: Status;
  attention: Attention | null;
  /** Messages after what this person has seen, by others; counted up to UNREAD_MAX. */
  unread: number;
  messages: number;
  queued: number;
  /** Those that run. */
  processes: number;
  position: Position;
  createdAt: string;
  updatedAt: string;
  /** The current session of the lineage; itself unless it has a successor. */
  head: string;
  origin: Origin | null;
  pinned: boolean;
  archived: boolean;
  retryAt: string | null;
  /** `cost` is of those tokens that had a price, and null when there are only others. */
  usage: { inputTokens: number; outputTokens: number; cost: number | null; unpricedTokens: number };
};
export const UNREAD_MAX = 100;

export type SessionFilter = {
  /** How its id begins. */
  id?: string;
  status?: Status;
  lane?: string;
  profile?: string;
  archived?: boolean;
  /** Words of the title. */
  q?: string;
  /**
   * Only heads of lineages, without delegates and task sessions: what a list shows. True unless asked otherwise, or asked
   * for what is elsewhere: by its id, or since it has ended, as heads of lineages have not.
   */
  heads?: boolean;
  limit: number;
  after?: string; // the `next` of the page before
};

export type Rows<T> = { items: T[]; next: string | null };

/** Messages and tools that came, up to MISSED_MAX each; asks that are open. */
export type Missed = { messages: number; tools: number; asks: number };

export type SearchQuery = {
  q: string;
  limit: number;
  /** The `next` of the page before. */
  after?: string | undefined;
};

export type SearchHit = {
  session: string;
  title: string | null;
  position: Position;
  at: string;
  type: string;
  snippet: string;
};

export type AskRow = {
  id: string;
  session: string;
  kind: FactData<"ask_opened">["kind"];
  title: string;
  call: string | null;
  /** Exactly what will run, where it is a command, and where; the digest is of the tool, its whole arguments and that. */
  command: string | null;
  cwd: string | null;
  /** What else the call was given. */
  details?: AskDetail[];
  digest: string | null;
  choices: { id: string; label: string }[];
  multiple: boolean;
  expires: string | null;
  openedAt: string;
  state: AskState;
  answer: AskAnswer | null;
  /** Who answered or withdrew it, and when. */
  closedBy: By | null;
  closedAt: string | null;
};

/** Newest first. */
export type AskFilter = {
  /** True: only those that wait for an answer; false: only those that do not. */
  open?: boolean;
  sessions?: readonly string[];
  limit: number;
  after?: string; // the `next` of the page before
};

/** What a person allowed for good, for every session of a profile. */
export type RuleRow = Omit<Rule, "shown"> & {
  id: string;
  profile: string;
  /** What the person saw when they made it. */
  shown: string | null;
  createdAt: string;
};
export type NewRule = Rule & { id: string; profile: string };

/** Days are counted from 1970, in UTC. Of all sessions, those that were deleted too, unless some are named. */
export type UsageFilter = {
  by: UsageBy;
  since?: number;
  until?: number;
  sessions?: readonly string[];
  profile?: string;
  model?: string;
  limit: number;
  after?: string; // the `next` of the page before
};
export type UsageBy = "day" | "model" | "profile" | "session";
/** `cost` is of the steps whose model had a price, and null when there were only others. */
export type UsageSum = Omit<UsageCount, "cost"> & { cost: number | null };
/** `key` is the day, the model (empty where nobody said which), the profile or the session. */
export type UsageRow = UsageSum & { key: string; title: string | null; deleted: boolean };
export type UsageReport = {
  total: UsageSum;
  /** Days newest first, all else by its tokens. */
  rows: Rows<UsageRow>;
  /** How many sessions from before usage was kept have yet to be counted. */
  uncounted: number;
};

export type DeedRow = Deed & { at: string };
/** Newest first. */
export type DeedFilter = { limit: number; after?: string }; // the `next` of the page before

/** A process that a session began; one that is running belongs to its host. */
export type ProcessRow = {
  id: string;
  session: string;
  host: string | null;
  command: string;
  cwd: string;
  call: string | null;
  /** Nobody's call waits for it. */
  background: boolean;
  status: ProcessStatus;
  startedAt: string;
  endedAt: string | null;
  /** Null when it is not known. */
  exit: number | null;
  cause: string | null;
};
export type ProcessFilter = {
  running?: boolean;
  status?: ProcessStatus;
  sessions?: readonly string[];
  host?: string;
  limit: number;
  after?: string; // the `next` of the page before
};

/** An effect outside of the store: carried out once, by a node of the process's host. */
export type ProcessRequest = {
  id: string;
  process: string;
  wish: { do: "stop"; signal?: string } | { do: "write"; text: string };
  /** What came of it; null until it was carried out. */
  outcome: string | null;
};
export type NewProcessRequest = Omit<ProcessRequest, "outcome">;
export type Requested =
  | { ok: true; request: ProcessRequest }
  | { ok: false; code: "not_found" }
  | { ok: false; code: "over" }; // it runs no longer

/** What is done, now or before under the same key. */
export type Done =
  | { ok: true; replayed?: true }
  | { ok: false; code: "not_found" }
  | { ok: false; code: "key_reused" };

export type Forked = { ok: true; session: SessionRow; replayed?: true } | Refused;
/** A session ends in favour of one that goes on from an earlier point of it. */
export type Succession = {
  from: string;
  /** The session as it is now, which decides what goes over; when it has changed meanwhile, that is `moved`. */
  view: View;
  /** The facts up to here become the successor's too; moved back to where nothing is half done. */
  at: Position;
  id: string;
  reason: string;
  /** What the successor begins with behind those. */
  first: readonly NewFact[];
};
export type Created =
  | { ok: true; session: SessionRow; replayed?: true }
  | { ok: false; code: "exists" }
  | { ok: false; code: "origin_gone" } // whom it would have worked for was deleted
  | { ok: false; code: "key_reused" };
/** A session on its way in, a piece at a time. Nobody sees anything of it before it is finished. */
export interface Importing {
  /**
   * Facts in their order, 1, 2, 3 …, each with the drafts behind it: what an answer said that broke off is nowhere else. Drafts
   * whose fact comes go. A RangeError when it is too large for an event.
   */
  addEvent(event: AnyEvent): Promise<void>;
  /** A long text that its facts refer to. */
  addBlob(bytes: Uint8Array): Promise<BlobInfo>;
  /** Under the id that its facts know it by. False when there is another file of that id. */
  addFile(file: FileInfo, bytes: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** From here on it is a session, at rest. */
  finish(brought: Brought, author: By, command?: Command): Promise<Created>;
  /** Takes away what came, unless it is a session by now. */
  abandon(): Promise<void>;
}
export type Deleted = Done | { ok: false; code: "live"; status: Status; processes: number };

/**
 * `takeover`: whoever held it did not give it back. `crash`: that was another node, which died or stood still; what this
 * one broke off itself, over a storage that failed, is none.
 */
export type Claim = {
  lease: Lease;
  takeover: boolean;
  crash: boolean;
  /** What the store's clock showed: what it holds to be due is due, whatever the node's own clock says. */
  atMs: number;
};

export type Claimed = ({ ok: true } & Claim) | { ok: false; code: "not_found" | "held" | "ended" };

export type Node = {
  id: NodeId;
  host: string;
  pid: number;
  url: string | null;
  startedAt: string;
  alive: boolean;
};

/** A session's work belongs to the host of its workspace, from the first claim on. */
export type WorkPlace = {
  /** Profiles whose workspace every host sees: their sessions may move to another when nothing of theirs still runs. */
  sharedProfiles: readonly string[];
};

/** `lost`: no node of that host is there. A file has one owner, who works on all of it: there it is always here. */
export type SessionHost = { host: string | null; here: string; lost: boolean };

/** Under which epoch it was lost, and how far its log had come. */
export type LostSession = { session: string; epoch: number; seq: number };

/** `unsaid`: it is in the middle of a turn, and nothing says yet that nobody goes on with it. `key` is the one to tell it by. */
export type StrandedSession = LostSession & { host: string; unsaid: boolean; key: string };

export type Timer = { key: string; log: LogId; dueAt: string };

export type TokenKind = "person" | "program";
export type Token = {
  id: string;
  person: string;
  kind: TokenKind;
  name: string;
  createdAt: string;
  usedAt: string | null;
};
export type Login = {
  id: string;
  person: string;
  device: string;
  createdAt: string;
  usedAt: string;
  expiresAt: string;
};

/** Who is behind a secret. Only the secret's SHA-256 is ever stored. */
export type Credential = { id: string; person: string; kind: TokenKind | "login"; device: string };

export type BlobInfo = { blob: string; bytes: number };
export type FileInfo = { file: string; name: string; type: string; bytes: number };

export type Snapshot = { position: Position; view: View };

export type StoreHealth = { ok: true } | { ok: false; reason: string };

/** What a store on disk or a server could not do. Nothing of the verb took effect, or its key will tell. */
export class StorageError extends Error {
  /** `full`: there may be room later; `busy`: try again; `broken`: a person must look. */
  readonly kind: "full" | "busy" | "broken";
  constructor(kind: "full" | "busy" | "broken", message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** An event whose text no longer has the checksum it was written with. */
export class DamagedEvent extends Error {
  readonly log: LogId;
  readonly position: Position;
  constructor(log: LogId, position: Position) {
    super(
      `event ${position} of ${log} is damaged: its text does not match its checksum; run "holdfast doctor"`,
    );
    this.log = log;
    this.position = position;
  }
}

export interface Store {
  /** Of these contents: a restored backup is a new store, and old positions in it mean nothing. */
  readonly id: string;
  readonly dialect: "sqlite" | "postgres";
  readonly node: NodeId;

  // --- the log
  createLog(
    id: LogId,
    kind: LogKind,
    events: NewEvent[],
    author: By,
  ): Promise<{ ok: true; position: Position } | { ok: false; code: "exists" }>;
  append(log: LogId, events: readonly NewEvent[], writer: Writer, options?: AppendOptions): Promise<Appended>;
  /** What came of this command, if it was carried out: so that a retry is not decided anew. */
  recall<R extends { ok: true }>(command: Command): Promise<Recalled<R> | undefined>;
  /** What came of a command that had nothing to write is kept like any other; what is kept under its key already is given. */
  keep<R extends { ok: true }>(command: Command, result: R): Promise<R | Recalled<R>>;
  head(log: LogId): Promise<LogHead | undefined>;
  /** Raw, for readers on a wire: at most about `maxBytes` and PAGE_EVENTS, but at least one event if there is one. */
  page(log: LogId, after: Position, maxBytes: number): Promise<Page>;
  /** Parsed and checked against their checksums, for folding: all of them, or facts only. Throws DamagedEvent. */
  events(log: LogId, after: Position, limit: number, only?: "facts"): Promise<AnyEvent[]>;
  /** The facts in front of a position, newest first, for paging back through a transcript. */
  eventsBefore(log: LogId, before: Position, limit: number): Promise<AnyEvent[]>;
  /** Those between two positions that no fact has swept yet, oldest first: what an answer said that broke off. */
  drafts(log: LogId, after: Position, before: Position, limit: number): Promise<AnyEvent[]>;
  /**
   * Empty wakes for one log: subscribe, then read. Wakes of a tick are one. Ends with the signal. One who wants facts
   * only may be spared the wakes of this node's drafts.
   */
  watch(log: LogId, signal: AbortSignal, only?: "facts"): AsyncIterableIterator<void>;
  /** Which logs got facts or changed otherwise, for lists and executors; a set may name a log that did not. */
  changes(signal: AbortSignal): AsyncIterableIterator<ReadonlySet<LogId>>;

  // --- sessions
  createSession(session: NewSession, author: By, command?: Command): Promise<Created>;
  session(id: string, person: string): Promise<SessionRow | undefined>;
  sessions(filter: SessionFilter, person: string): Promise<Rows<SessionRow>>;
  sessionsById(ids: readonly string[], person: string): Promise<SessionRow[]>;
  /** A person's arrangement, not history: allowed on an ended session, moves nothing. */
  arrangeSession(
    id: string,
    arrangement: { pinned?: boolean; archived?: boolean },
    command?: Command,
  ): Promise<Done>;
  /** With whoever works for it. Whom it works for itself is told by a timer (session/gone-delegate.ts). */
  deleteSession(id: string, options: { force: boolean }, command?: Command, deed?: Deed): Promise<Deleted>;
  forkSession(
    from: string,
    at: Position | undefined,
    id: string,
    author: By,
    command?: Command,
  ): Promise<Forked>;
  /** Whoever begins one finishes or abandons it; what a crash leaves of it is taken away. */
  beginImport(id: string): Promise<Importing>;
  /** Both in one transaction: the end of the one with its successor's name, and the other. */
  succeedSession(succession: Succession, author: By, command?: Command): Promise<Forked>;
  /** Folded from the newest snapshot; a snapshot is made every SNAPSHOT_FACTS facts and can be dropped. */
  view(id: string): Promise<View | undefined>;
  snapshot(id: string): Promise<Snapshot | undefined>;
  dropSnapshots(id: string): Promise<void>;
  setSeen(
    person: string,
    session: string,
    position: Position,
  ): Promise<{ ok: true; position: Position } | { ok: false; code: "not_found" | "ahead" }>;
  seen(person: string, session: string): Promise<Position>;
  missed(session: string, after: Position, person: string): Promise<Missed>;
  /** Newest first. */
  search(query: SearchQuery): Promise<Rows<SearchHit>>;
  /**
   * What was used here, from rows that each append adds to. A copy's facts were the original's to pay and count there; what
   * was brought in was used elsewhere, and counts in its own session's row only.
   */
  usage(filter: UsageFilter): Promise<UsageReport>;
  overview(): Promise<{
    sessions: Record<Status, number>;
    asks: number;
    leases: { log: LogId; holder: NodeId; until: string }[];
  }>;

  // --- asks and rules
  /** An ask is a row that appends open and close; what is answered is a fact of its session. */
  ask(id: string): Promise<AskRow | undefined>;
  asks(filter: AskFilter): Promise<Rows<AskRow>>;
  /** The same rule said twice is one, and keeps the id that it has. */
  addRule(rule: NewRule): Promise<RuleRow>;
  rules(profile?: string): Promise<RuleRow[]>;
  removeRule(id: string, command?: Command, deed?: Deed): Promise<Done>;

  // --- the trail
  /**
   * Again under the same id it is the same deed. Of all of them the last DEEDS_KEPT are kept. A verb that takes a deed
   * notes it in its own transaction, if it does anything: of what it takes away there would be no other trace.
   */
  noteDeed(deed: Deed): Promise<void>;
  deeds(filter: DeedFilter): Promise<Rows<DeedRow>>;

  // --- processes
  process(id: string): Promise<ProcessRow | undefined>;
  /** Newest first. */
  processes(filter: ProcessFilter): Promise<Rows<ProcessRow>>;
  /** Its session is gone, and so is it. */
  forgetProcess(id: string): Promise<void>;
  /** The sessions whose processes are a session's own: its lineage, and whoever works for one of it. */
  scope(session: string): Promise<string[]>;
  /** Again under the same id it is the same request. */
  requestProcess(request: NewProcessRequest): Promise<Requested>;
  processRequest(id: string): Promise<ProcessRequest | undefined>;
  /** Of this node's host; `again` when one that took it before has not said what came of it. */
  takeRequests(): Promise<{ request: ProcessRequest; again: boolean }[]>;
  finishRequest(id: string, outcome: string): Promise<void>;

  // --- leases, nodes, timers
  claimLease(log: LogId, ttlMs: number): Promise<Claimed>;
  /**
   * The database's choice of a session that can go on now: it has input or a turn, nobody works on it, and something was
   * appended since an executor came to rest over it, or its time has come. One whose executor went without giving the
   * lease back is always looked at again. Whoever waits longest comes first: from the append that gave it something to do
   * after there was nothing, from when its lease was given back with something left, or from its time to try again; one
   * whose executor is gone from when that one claimed it. What is sent to it meanwhile changes nothing. Undefined when there is none. No wait for a retry
   * is as long as `longestWaitMs`: one that seems to be was begun by a clock that has been set back, and is over. None of
   * `except`.
   */
  claimSession(
    ttlMs: number,
    where?: WorkPlace,
    longestWaitMs?: number,
    except?: readonly LogId[],
  ): Promise<Claim | undefined>;
  /** Where a session's work belongs. */
  sessionHost(id: string): Promise<SessionHost | undefined>;
  /** From now on it belongs to this node's host: only from one that is lost. */
  moveSession(id: string): Promise<{ ok: true } | { ok: false; code: "not_found" | "host_alive" }>;
  /** Sessions in the middle of a turn whose executor is gone, and of which nobody has said so yet. */
  lostSessions(limit: number): Promise<LostSession[]>;
  /** Those with something to do whose host has had no node for a while, and of which nobody has been told under their key. */
  strandedSessions(limit: number): Promise<StrandedSession[]>;
  renewLease(lease: Lease): Promise<{ ok: true } | { ok: false; code: "lease_lost" }>;
  /** `rested` is the position up to which nothing is left to do; without it the session is looked at again. */
  releaseLease(lease: Lease, rested?: Position): Promise<{ ok: true } | { ok: false; code: "lease_lost" }>;
  nodes(): Promise<Node[]>;
  setTimer(timer: Timer): Promise<void>;
  clearTimer(key: string): Promise<boolean>;
  dueTimers(limit: number): Promise<Timer[]>;

  // --- blobs and files
  putBlob(log: LogId, bytes: Uint8Array): Promise<BlobInfo>;
  blob(id: string): Promise<Buffer | undefined>;
  putFile(
    file: { id: string; name: string; type: string },
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
    /** Asked for once all bytes were read: they are part of what it is the digest of. */
    commandOf?: () => Command | undefined,
  ): Promise<{ ok: true; file: FileInfo; replayed?: true } | { ok: false; code: "too_large" | "key_reused" }>;
  file(id: string): Promise<(FileInfo & { read(): AsyncIterable<Buffer> }) | undefined>;
  /**
   * Before a fact names them: from here on they are kept as long as the log, or, when that is yet to be made, as if they had
   * just been put. In the order of `ids`; undefined is one that is not there.
   */
  keepFiles(log: LogId, ids: readonly string[]): Promise<(FileInfo | undefined)[]>;

  // --- persons, tokens, logins
  addToken(
    token: { id: string; person: string; kind: TokenKind; name: string; hash: string },
    command?: Command,
    deed?: Deed,
  ): Promise<{ ok: true; token: Token; replayed?: true } | { ok: false; code: "key_reused" }>;
  tokens(): Promise<Token[]>;
  revokeToken(id: string, command?: Command, deed?: Deed): Promise<Done>;
  addLoginLink(
    link: { hash: string; person: string; expiresAt: string },
    command?: Command,
    deed?: Deed,
  ): Promise<{ ok: true; expiresAt: string; replayed?: true } | { ok: false; code: "key_reused" }>;
  /** Uses the link up and makes the login, in one transaction. */
  redeemLoginLink(
    hash: string,
    login: { id: string; hash: string; device: string; ttlMs: number },
  ): Promise<{ ok: true; login: Login } | { ok: false; code: "expired" | "unknown" }>;
  logins(person?: string): Promise<Login[]>;
  revokeLogin(id: string, command?: Command, deed?: Deed): Promise<Done>;
  /** Marks the use (at most once a minute) and extends a login. Revoked and expired ones are undefined. */
  credential(hash: string, loginTtlMs: number): Promise<Credential | undefined>;
  /** Ids of tokens and logins as they are revoked, here or on another node. */
  revocations(signal: AbortSignal): AsyncIterableIterator<string>;

  // --- operation
  health(): StoreHealth;
  /**
   * Forgets what has outlived its purpose: old command keys and deeds, used links, expired logins, orphaned blobs, files that
   * no log names.
   */
  tidy(): Promise<void>;
  /** Reads everything and names what is damaged. */
  check(): Promise<{ events: number; damaged: { log: LogId; position: Position }[]; problems: string[] }>;
  backup(file: string): Promise<{ bytes: number }>;
  /** A start is over: threads of its own collect their garbage. Only while V8 was told --expose-gc. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A store got another id; `running` is how many processes it says to run. */
export type Renewed = { was: string; is: string; running: number };

export const PAGE_EVENTS = 1000;
export const SNAPSHOT_FACTS = 500;
export const EVENT_MAX_BYTES = 256 * 1024;
/** A text over this is a blob. */
export const TEXT_MAX_CHARS = 64 * 1024;
/** Whoever took a request for a process and says nothing for so long is gone. */
export const REQUEST_LEFT_MS = 60_000;
export const REQUESTS_TAKEN = 20;
export const COMMAND_KEPT_MS = 48 * 3600_000;
export const DEEDS_KEPT = 100_000;
/** How long a file has until somebody names it: longer than what was begun in a composer is left lying. */
export const FILE_UNNAMED_MS = 7 * 24 * 3600_000;
/** The same once the last log that named it is gone: longer than a fork of it, or an import that knows it, is on its way. */
export const FILE_LEFT_MS = 24 * 3600_000;
/** After which a file that was named is looked at again. */
export const FILE_NAMED_MS = 30 * 24 * 3600_000;

export type { RowState };
