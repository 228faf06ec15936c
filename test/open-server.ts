// A server in this process for tests of one resource: a real store of its own, a port of its own. The store is SQLite;
// HOLDFAST_TEST_POSTGRES=postgres://… runs the same tests on that server.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { ClientFrame, ServerFrame } from "../src/protocol/socket.ts";
import { makeLog } from "../src/server/log.ts";
import { startServer, type RunningServer, type ServerOptions } from "../src/server/server.ts";
import { makeIds } from "../src/session/ids.ts";
import type { SessionRow, Store } from "../src/store/store.ts";

const POSTGRES = process.env["HOLDFAST_TEST_POSTGRES"];
export const ON_POSTGRES = POSTGRES !== undefined;
const BETWEEN_LOOKS_MS = 5;
export const TOKEN = "a-token-for-tests-that-is-long-enough";

export type OpenServer = RunningServer & {
  store: Store;
  folder: string;
  /** All lines that were logged. */
  logged: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends JSON, expects the status, gives the answer's JSON. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    expected?: number,
  ): Promise<T>;
  newSession(body?: object): Promise<SessionRow>;
  socket(headers?: Record<string, string>): Promise<TestSocket>;
};

export type OpenServerOptions = Partial<ServerOptions> & {
  wrap?: (store: Store) => Store;
  /** The store's; the server's own is `now`. */
  clock?: () => number;
};

/** One for all tests of a file that do not mind each other's sessions: opening a store takes a moment. */
export function useServer(): () => OpenServer {
  let server: OpenServer | undefined;
  let close: () => Promise<void> = () => Promise.resolve();
  beforeAll(async () => {
    server = await openServer({}, (closing) => (close = closing));
  });
  afterAll(() => close());
  return () => {
    if (server === undefined) throw new Error("it is open only while tests run");
    return server;
  };
}

export async function openServer(
  options: OpenServerOptions = {},
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<OpenServer> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-server-"));
  const { opened, remove } = await openTestStore(folder, options.clock);
  const store = options.wrap?.(opened) ?? opened;
  const logged: string[] = [];
  const server = await startServer({
    store,
    version: "0.0.0-test",
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    webFolder: join(folder, "web"),
    backupFolder: join(folder, "backup"),
    log: makeLog("debug", { write: (line) => void logged.push(line) }),
    now: Date.now,
    randomBytes,
    ...options,
  });
  atEnd(async () => {
    await server.close();
    await opened.close();
    await remove();
  });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...headersOf(init) } });
  const call = async <T>(method: string, path: string, body?: unknown, expected?: number): Promise<T> => {
    const answer = await ask(path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    const text = await answer.text();
    const right = expected === undefined ? answer.ok : answer.status === expected;
    if (!right) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  return {
    ...server,
    store,
    folder,
    logged,
    fetch: ask,
    call,
    newSession: (body = {}) => call("POST", "/api/sessions", body, 201),
    socket: (headers = { authorization: `Bearer ${TOKEN}` }) => openSocket(server.url, headers),
  };
}

async function openTestStore(
  folder: string,
  clock?: () => number,
): Promise<{ opened: Store; remove: () => Promise<void> }> {
  const ids = makeIds(Date.now, randomBytes);
  const opening = { node: ids.next("nod"), host: "test", clock: clock ?? Date.now, ids };
  const removeFolder = () => rm(folder, { recursive: true });
  if (POSTGRES === undefined) {
    const { openSqliteStore } = await import("../src/store/sqlite/store.ts");
    return {
      opened: await openSqliteStore({ file: join(folder, "holdfast.db"), ...opening }),
      remove: removeFolder,
    };
  }
  const [{ openPostgresStore }, { createDatabase }] = await Promise.all([
    import("../src/store/postgres/store.ts"),
    import("./postgres.ts"),
  ]);
  const database = await createDatabase(POSTGRES);
  return {
    opened: await openPostgresStore({
      database: database.url,
      ...opening,
      ...(clock && { decidingClock: clock }),
    }),
    remove: async () => {
      await removeFolder();
      await database.drop();
    },
  };
}

export type TestSocket = {
  ws: WebSocket;
  frames: ServerFrame[];
  closed: Promise<{ code: number }>;
  send(frame: ClientFrame): void;
  /** The first frame of this op that was not given yet and fits. */
  next<Op extends ServerFrame["op"]>(
    op: Op,
    fits?: (frame: Extract<ServerFrame, { op: Op }>) => boolean,
  ): Promise<Extract<ServerFrame, { op: Op }>>;
};

async function openSocket(url: string, headers: Record<string, string>): Promise<TestSocket> {
  const ws = new WebSocket(`${url.replace("http", "ws")}/api/ws`, { headers });
  const frames: ServerFrame[] = [];
  const given = new Set<ServerFrame>();
  let look: () => void = () => {};
  ws.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as ServerFrame);
    look();
  });
  const closed = new Promise<{ code: number }>((resolve) => ws.on("close", (code) => resolve({ code })));
  await new Promise<void>((resolve, reject) => {
    ws.on("open", () => resolve());
    ws.on("error", reject);
  });
  onTestFinished(() => ws.terminate());
  return {
    ws,
    frames,
    closed,
    send: (frame) => ws.send(JSON.stringify(frame)),
    next: (op, fits = () => true) =>
      new Promise((resolve) => {
        look = () => {
          const found = frames.find((frame) => frame.op === op && !given.has(frame) && fits(frame as never));
          if (found === undefined) return;
          given.add(found);
          look = () => {};
          resolve(found as never);
        };
        look();
      }),
  };
}

/** The same store with some verbs of one's own. */
export function override(store: Store, verbs: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(verbs, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The test's own timeout bounds it. Between two looks the processor is left to what is waited for. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(BETWEEN_LOOKS_MS);
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}
