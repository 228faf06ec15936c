// One HTTP request, tried again while that can help. Every mutation carries a key that stays the same over its tries,
// so that a retry after a lost answer has no second effect.
import { backoffMs } from "./backoff.ts";
import { sleep, type Clock } from "./clock.ts";
import { ProblemError, problemOf, Unreachable } from "./errors.ts";

export type Transport = {
  /** `http://127.0.0.1:4180`; empty in a page, which asks its own origin. */
  url: string;
  /** A bearer token; a page has its cookie instead. */
  token?: string;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  chance: () => number;
  newKey: () => string;
  /** How long to go on trying, over all tries; 0 tries once. */
  patienceMs: number;
};

export type Call = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  json?: unknown;
  /** In place of `json`; something that can be sent again. */
  bytes?: { body: Blob; type: string };
  headers?: Record<string, string>;
  /** Of the effect that this is to have, when it may be asked for again by a later call. */
  key?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Outlives the page that sends it. */
  keepalive?: boolean | undefined;
  /** How long one try may take until its answer begins. */
  tryMs?: number;
};

const TRY_MS = 30_000;
const TRIES_MAX = 20;
const WAIT = { firstMs: 200, mostMs: 5_000 };

/**
 * `read` takes what is wanted from the answer; an answer that is cut off while it reads is asked for again.
 * Throws ProblemError, Unreachable or the signal's reason.
 */
export async function request<T>(
  transport: Transport,
  call: Call,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const init = requestInit(transport, call);
  const deadline = transport.clock.now() + transport.patienceMs;
  let mayHaveArrived = false;
  for (let failures = 0; ; failures++) {
    const tried = await tryOnce(transport, call, init, read);
    if (tried.ok) return tried.value;
    // The try before this one did it, and only its answer was lost.
    if (mayHaveArrived && call.method === "DELETE" && isNotFound(tried.error)) return read(noContent());
    mayHaveArrived ||= tried.error instanceof Unreachable;

    const waitMs = tried.retryAfterMs ?? backoffMs(WAIT, failures, transport.chance());
    const isLast = failures + 1 >= TRIES_MAX || transport.clock.now() + waitMs > deadline;
    if (!tried.retry || isLast) throw tried.error;
    await sleep(transport.clock, waitMs, call.signal);
  }
}

export function requestJson<T>(transport: Transport, call: Call): Promise<T> {
  return request(transport, call, (response) => response.json() as Promise<T>); // the server's own schema made it
}

/** For what is answered with nothing but its status. */
export function requestDone(transport: Transport, call: Call): Promise<void> {
  return request(transport, call, async (response) => void (await response.arrayBuffer()));
}

/** The answer once it begins; from there on the reader has to bear a cut itself. */
export function requestStream(transport: Transport, call: Call): Promise<Response> {
  return request(transport, call, (response) => Promise.resolve(response));
}

/** Made when it is needed: it loads all of `fetch`, and `holdfast serve`, which starts here too, has no use for that. */
function noContent(): Response {
  return new Response(null, { status: 204 });
}

type Tried<T> =
  | { ok: true; value: T }
  | { ok: false; error: ProblemError | Unreachable; retry: boolean; retryAfterMs?: number };

async function tryOnce<T>(
  transport: Transport,
  call: Call,
  init: RequestInit,
  read: (response: Response) => Promise<T>,
): Promise<Tried<T>> {
  const url = urlOf(transport, call);
  const tooLong = new AbortController();
  const tryMs = call.tryMs ?? TRY_MS;
  const stopTimer = transport.clock.after(tryMs, () =>
    tooLong.abort(new Error(`no answer within ${tryMs / 1000} s`)),
  );
  const signal = call.signal ? AbortSignal.any([call.signal, tooLong.signal]) : tooLong.signal;
  try {
    const response = await transport.fetch(url, { ...init, signal });
    if (response.ok) return { ok: true, value: await read(response) };
    return refusal(transport, response, new ProblemError(await problemOf(response)));
  } catch (error) {
    call.signal?.throwIfAborted();
    return { ok: false, error: new Unreachable(transport.url || url, error), retry: true };
  } finally {
    stopTimer();
  }
}

const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function refusal({ clock }: Transport, response: Response, error: ProblemError): Tried<never> {
  const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), clock.now());
  const retry = PASSING.has(response.status);
  return { ok: false, error, retry, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Seconds, or a date. */
function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function requestInit({ token, newKey }: Transport, call: Call): RequestInit {
  const headers: Record<string, string> = { accept: "application/json", ...call.headers };
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  if (call.method !== "GET") headers["idempotency-key"] = call.key ?? newKey();
  if (call.json !== undefined) headers["content-type"] = "application/json";
  if (call.bytes) headers["content-type"] = call.bytes.type;
  const body = call.bytes?.body ?? (call.json === undefined ? undefined : JSON.stringify(call.json));
  // An old answer from a cache would be a lie about a log that grows.
  const { method, keepalive = false } = call;
  return { method, headers, cache: "no-store", keepalive, ...(body !== undefined && { body }) };
}

function urlOf({ url }: Transport, { path, query }: Call): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(name, String(value));
  return `${url}${path}${search.size > 0 ? `?${search.toString()}` : ""}`;
}

function isNotFound(error: Error): boolean {
  return error instanceof ProblemError && error.status === 404;
}
