// Every command of the API as a typed function, the same in a page and in Node. Types come from the schemas that the
// server checks with; the schema library itself stays out of the page.
import type { z } from "zod";
import type * as http from "../protocol/http.ts";
import type { SessionRow } from "../protocol/http.ts";
import type { HistoryPage } from "../session/history.ts";
import type { Position } from "../session/position.ts";
import type { View } from "../session/view.ts";
import { wallClock, type Clock } from "./clock.ts";
import { requestDone, requestJson, requestStream, type Call, type Transport } from "./request.ts";

export type NewSession = z.input<typeof http.NewSession>;
export type NewInput = z.input<typeof http.NewInput>;
export type SessionList = z.output<typeof http.SessionList>;
export type SessionFilter = Omit<Partial<z.input<typeof http.ListSessions>>, "archived" | "limit"> & {
  archived?: boolean;
  limit?: number;
};
export type ShownSession = SessionRow & { view: View };
export type SessionPatch = z.input<typeof http.PatchSession>;
export type Admitted = z.output<typeof http.Admitted>;
export type SearchPage = z.output<typeof http.SearchHits>;
export type SearchHit = SearchPage["items"][number];
export type FileInfo = z.output<typeof http.FileInfo>;
export type Overview = z.output<typeof http.Overview>;
export type NewToken = z.input<typeof http.NewToken>;
export type TokenInfo = z.output<typeof http.TokenInfo>;
export type MadeToken = z.output<typeof http.MadeToken>;
export type LoginInfo = z.output<typeof http.LoginInfo>;
export type LoginLink = z.output<typeof http.LoginLink>;
export type Me = z.output<typeof http.Me>;
export type StoreCheck = z.output<typeof http.StoreCheck>;
export type Ask = http.Ask;
export type AskList = z.output<typeof http.AskList>;
export type AskFilter = { open?: boolean; session?: string; limit?: number; after?: string };
export type NewAnswer = z.input<typeof http.NewAnswer>;
export type InputPatch = z.input<typeof http.PatchInput>;
export type Moved = z.output<typeof http.Moved>;
export type Stopped = z.output<typeof http.Stopped>;
export type Retried = z.output<typeof http.Retried>;
export type Released = z.output<typeof http.Released>;
export type RuleInfo = http.RuleInfo;
export type UsageReport = http.UsageReport;
export type UsageItem = http.UsageItem;
export type UsageFilter = Omit<z.input<typeof http.ReadUsage>, "limit"> & { limit?: number };
export type DeedInfo = http.DeedInfo;
export type DeedList = z.output<typeof http.DeedList>;
export type ProfileInfo = http.ProfileInfo;
export type Process = http.Process;
export type ProcessList = z.output<typeof http.ProcessList>;
export type ProcessFilter = Omit<Partial<z.input<typeof http.ListProcesses>>, "all" | "limit"> & {
  all?: boolean;
  limit?: number;
};
export type ProcessOutput = http.ProcessOutput;
export type ProcessRequest = http.ProcessRequest;
export type StopProcess = z.input<typeof http.StopProcess>;
export type { SessionRow };

export type ClientOptions = {
  /** Empty, as in a page: the page's own origin. */
  url?: string;
  token?: string | undefined;
  patienceMs?: number;
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
  chance?: () => number;
  newKey?: () => string;
};

export type Client = ReturnType<typeof createClient>;

/** Long enough to sit out a restart of the server. */
const PATIENCE_MS = 15_000;
const CHECK_TRY_MS = 10 * 60_000;
const UPLOAD_TRY_MS = 5 * 60_000;
/** A backup is copied whole before its first byte is sent. */
const BACKUP_TRY_MS = 10 * 60_000;

export function createClient(options: ClientOptions = {}) {
  const transport: Transport = {
    url: options.url ?? "",
    ...(options.token !== undefined && { token: options.token }),
    // Bound: a page's fetch refuses to be called on another object.
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    clock: options.clock ?? wallClock,
    chance: options.chance ?? Math.random,
    newKey: options.newKey ?? randomKey,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  };
  const json = <T>(call: Call) => requestJson<T>(transport, call);
  const done = (call: Call) => requestDone(transport, call);
  const stream = (call: Call) => requestStream(transport, call);
  /** All of a list, page after page. */
  const items = async <T>(call: Call): Promise<T[]> => {
    const all: T[] = [];
    for (let after: string | undefined; ;) {
      const page = await json<{ items: T[]; next?: string | null }>({
        ...call,
        query: { ...call.query, after },
      });
      all.push(...page.items);
      if (typeof page.next !== "string") return all;
      after = page.next;
    }
  };

  return {
    transport,

    /** With the `key` of an earlier try it has no second effect, even if that try came from a page since closed. */
    createSession: (session: NewSession, signal?: AbortSignal, key?: string) =>
      json<SessionRow>({ method: "POST", path: "/api/sessions", json: session, signal, key }),
    sessions: (filter: SessionFilter = {}, signal?: AbortSignal) =>
      json<SessionList>({ method: "GET", path: "/api/sessions", query: filter, signal }),
    session: (session: string, signal?: AbortSignal) =>
      json<ShownSession>({ method: "GET", path: sessionPath(session), signal }),
    /** Messages outside the view: those in front of a position, newest last, or those from one on. */
    messages: (
      session: string,
      where: { before: Position; limit?: number } | { from: Position; limit?: number },
      signal?: AbortSignal,
    ) => json<HistoryPage>({ method: "GET", path: sessionPath(session), query: where, signal }),
    patchSession: (session: string, patch: SessionPatch, signal?: AbortSignal) =>
      json<SessionRow>({ method: "PATCH", path: sessionPath(session), json: patch, signal }),
    /** `keepalive`: goes out even if the page is just being left. */
    deleteSession: (
      session: string,
      { force, keepalive }: { force?: boolean; keepalive?: boolean } = {},
      signal?: AbortSignal,
    ) =>
      done({
        method: "DELETE",
        path: sessionPath(session),
        query: { force: force || undefined },
        keepalive,
        signal,
      }),
    forkSession: (session: string, fork: { at?: Position } = {}, signal?: AbortSignal) =>
      json<SessionRow>({ method: "POST", path: `${sessionPath(session)}/fork`, json: fork, signal }),
    /** To the host of the server that is asked, from one that is lost; unconfirmed a ProblemError `live` lists what may still run there. */
    moveSession: (session: string, { confirm }: { confirm?: boolean } = {}, signal?: AbortSignal) =>
      json<Moved>({ method: "POST", path: `${sessionPath(session)}/move`, json: { confirm }, signal }),
    admitInput: (session: string, input: NewInput, signal?: AbortSignal, key?: string) =>
      json<Admitted>({ method: "POST", path: `${sessionPath(session)}/inputs`, json: input, signal, key }),
    /** Only what is still queued; else a ProblemError `not_queued` says where it went. */
    patchInput: (session: string, input: string, patch: InputPatch, signal?: AbortSignal) =>
      done({ method: "PATCH", path: inputPath(session, input), json: patch, signal }),
    withdrawInput: (session: string, input: string, signal?: AbortSignal) =>
      done({ method: "DELETE", path: inputPath(session, input), signal }),
    releaseQueue: (session: string, signal?: AbortSignal) =>
      json<Released>({ method: "POST", path: `${sessionPath(session)}/queue/release`, signal }),
    stop: (session: string, signal?: AbortSignal) =>
      json<Stopped>({ method: "POST", path: `${sessionPath(session)}/stop`, signal }),

    /** The last turn, which failed, is gone on with; a ProblemError `conflict` if it did not fail. */
    retry: (session: string, signal?: AbortSignal) =>
      json<Retried>({ method: "POST", path: `${sessionPath(session)}/retry`, signal }),
    /** Each gives the successor in which the session goes on. */
    regenerate: (session: string, signal?: AbortSignal) =>
      json<SessionRow>({ method: "POST", path: `${sessionPath(session)}/regenerate`, signal }),
    undo: (session: string, signal?: AbortSignal) =>
      json<SessionRow>({ method: "POST", path: `${sessionPath(session)}/undo`, signal }),
    resendInput: (
      session: string,
      input: string,
      instead: z.input<typeof http.Resend>,
      signal?: AbortSignal,
    ) =>
      json<SessionRow>({
        method: "POST",
        path: `${inputPath(session, input)}/resend`,
        json: instead,
        signal,
      }),

    asks: (filter: AskFilter = {}, signal?: AbortSignal) =>
      json<AskList>({ method: "GET", path: "/api/asks", query: filter, signal }),
    ask: (ask: string, signal?: AbortSignal) => json<Ask>({ method: "GET", path: askPath(ask), signal }),
    /** The first answer counts; for later ones a ProblemError `answered` has the ask as it was answered. */
    answerAsk: (ask: string, answer: NewAnswer, signal?: AbortSignal) =>
      json<Ask>({ method: "POST", path: `${askPath(ask)}/answer`, json: answer, signal }),
    rules: (signal?: AbortSignal) => items<RuleInfo>({ method: "GET", path: "/api/rules", signal }),
    removeRule: (rule: string, signal?: AbortSignal) =>
      done({ method: "DELETE", path: `/api/rules/${encodeURIComponent(rule)}`, signal }),
    /** Who did what, newest first. One page: it goes back far. */
    audit: (page: { limit?: number; after?: string } = {}, signal?: AbortSignal) =>
      json<DeedList>({ method: "GET", path: "/api/audit", query: page, signal }),
    /** What models used, broken down by day, model, profile or session. */
    usage: (filter: UsageFilter = {}, signal?: AbortSignal) =>
      json<UsageReport>({ method: "GET", path: "/api/usage", query: filter, signal }),
    profiles: (signal?: AbortSignal) => items<ProfileInfo>({ method: "GET", path: "/api/profiles", signal }),

    processes: (filter: ProcessFilter = {}, signal?: AbortSignal) =>
      json<ProcessList>({ method: "GET", path: "/api/processes", query: filter, signal }),
    process: (process: string, signal?: AbortSignal) =>
      json<Process>({ method: "GET", path: processPath(process), signal }),
    processOutput: (process: string, from: { offset?: number; limit?: number } = {}, signal?: AbortSignal) =>
      json<ProcessOutput>({ method: "GET", path: `${processPath(process)}/output`, query: from, signal }),
    writeProcess: (process: string, text: string, signal?: AbortSignal) =>
      json<ProcessRequest>({ method: "POST", path: `${processPath(process)}/input`, json: { text }, signal }),
    stopProcess: (process: string, how: StopProcess = {}, signal?: AbortSignal) =>
      json<ProcessRequest>({ method: "POST", path: `${processPath(process)}/stop`, json: how, signal }),

    setSeen: (session: string, position: Position, signal?: AbortSignal) =>
      done({ method: "PUT", path: `${sessionPath(session)}/seen`, json: { position }, signal }),
    exportSession: (session: string, format: "md" | "jsonl", signal?: AbortSignal) =>
      stream({
        method: "GET",
        path: `${sessionPath(session)}/export`,
        query: { format },
        headers: ANY,
        signal,
      }),

    /** An export in JSON lines becomes a session of one's own, at rest. `partial` takes what is there of one that was cut off. */
    importSession: (
      lines: Blob,
      { partial, workspace }: { partial?: boolean; workspace?: string | undefined } = {},
      signal?: AbortSignal,
      key?: string,
    ) =>
      json<SessionRow>({
        method: "POST",
        path: "/api/sessions/import",
        query: { partial: partial || undefined, workspace },
        bytes: { body: lines, type: "application/x-ndjson" },
        tryMs: UPLOAD_TRY_MS,
        signal,
        key,
      }),

    /** Goes up whole, under its name; inputs then name it by its id. */
    uploadFile: (file: { name: string; type: string; body: Blob }, signal?: AbortSignal) =>
      json<FileInfo>({
        method: "POST",
        path: "/api/files",
        query: { name: file.name },
        bytes: { body: file.body, type: file.type || "application/octet-stream" },
        tryMs: UPLOAD_TRY_MS,
        signal,
      }),
    file: (file: string, signal?: AbortSignal) =>
      stream({ method: "GET", path: `/api/files/${encodeURIComponent(file)}`, headers: ANY, signal }),
    /** A text that was too long for its event. */
    blob: (blob: string, signal?: AbortSignal) =>
      stream({ method: "GET", path: `/api/blobs/${encodeURIComponent(blob)}`, headers: ANY, signal }),

    /** Newest first. One page: words that are everywhere would bring everything. */
    search: (query: { q: string; limit?: number; after?: string }, signal?: AbortSignal) =>
      json<SearchPage>({ method: "GET", path: "/api/search", query, signal }),
    overview: (signal?: AbortSignal) => json<Overview>({ method: "GET", path: "/api/overview", signal }),

    createToken: (token: NewToken, signal?: AbortSignal) =>
      json<MadeToken>({ method: "POST", path: "/api/tokens", json: token, signal }),
    tokens: (signal?: AbortSignal) => items<TokenInfo>({ method: "GET", path: "/api/tokens", signal }),
    revokeToken: (token: string, signal?: AbortSignal) =>
      done({ method: "DELETE", path: `/api/tokens/${encodeURIComponent(token)}`, signal }),

    createLoginLink: (signal?: AbortSignal) =>
      json<LoginLink>({ method: "POST", path: "/api/login-links", signal }),
    login: (secret: string, signal?: AbortSignal) =>
      json<Me>({ method: "POST", path: "/api/login", json: { secret }, signal }),
    logout: (signal?: AbortSignal) => done({ method: "POST", path: "/api/logout", signal }),
    logins: (signal?: AbortSignal) => items<LoginInfo>({ method: "GET", path: "/api/logins", signal }),
    revokeLogin: (login: string, signal?: AbortSignal) =>
      done({ method: "DELETE", path: `/api/logins/${encodeURIComponent(login)}`, signal }),
    me: (signal?: AbortSignal) => json<Me>({ method: "GET", path: "/api/me", signal }),

    /** Reads everything that the server keeps and names what is damaged. */
    check: (signal?: AbortSignal) =>
      json<StoreCheck>({ method: "GET", path: "/api/check", tryMs: CHECK_TRY_MS, signal }),
    backup: (signal?: AbortSignal) =>
      stream({ method: "GET", path: "/api/backup", headers: ANY, tryMs: BACKUP_TRY_MS, signal }),
  };
}

const ANY = { accept: "*/*" };

export function sessionPath(session: string): string {
  return `/api/sessions/${encodeURIComponent(session)}`;
}

function inputPath(session: string, input: string): string {
  return `${sessionPath(session)}/inputs/${encodeURIComponent(input)}`;
}

function processPath(process: string): string {
  return `/api/processes/${encodeURIComponent(process)}`;
}

function askPath(ask: string): string {
  return `/api/asks/${encodeURIComponent(ask)}`;
}

/** Not randomUUID: a page that is served over plain http from another host does not have it. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
