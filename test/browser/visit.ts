// What the tests of a file share: one browser and one server. Each test has a person of its own, and finds neither sessions
// nor logins of the test before it.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { startAgentServer, type AgentServer, type AgentServerOptions } from "../agent-server.ts";
import { callApi } from "../call-api.ts";
import { launchChromium } from "../chromium.ts";
import { startScriptedServer, type ScriptedServer } from "../scripted-server.ts";
import { startServer, type ServerOptions, type ServerProcess } from "../server-process.ts";
import { buildPage } from "./built-page.ts";
import { newPerson, newTab, type PageOptions, type WatchedPage } from "./watched-page.ts";

export type Visit<Server> = {
  readonly browser: Browser;
  readonly server: Server;
  /** Logged in with the first tab that is opened. */
  readonly person: BrowserContext;
  /** A tab of the person at this path, once it is connected. Options are of the browser that they use from here on. */
  open(path?: string, options?: PageOptions): Promise<WatchedPage>;
  /** A tab of the same person in another browser, such as a phone's. */
  openElsewhere(path: string): Promise<WatchedPage>;
  loginLink(): Promise<string>;
  call: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;
  /** A session of this title, in which nothing has happened. */
  create(title: string): Promise<string>;
};

type Visited = { readonly url: string; fetch(path: string, init?: RequestInit): Promise<Response> };
type AtEnd = (cleanup: () => Promise<void>) => void;

export type VisitOptions = {
  /** Where pages find the server, when they are to reach it by a way of their own. */
  address?: () => string;
  /** Sessions stay from test to test: for what takes long to make. */
  keepsSessions?: boolean;
};

export function useVisit<Server extends Visited>(
  start: (atEnd: AtEnd) => Promise<Server>,
  { address, keepsSessions = false }: VisitOptions = {},
): Visit<Server> {
  const cleanups: (() => Promise<void>)[] = [];
  const elsewhere: BrowserContext[] = [];
  let browser: Browser;
  let server: Server;
  let person: BrowserContext;

  beforeAll(async () => {
    buildPage();
    browser = await launchChromium();
    server = await start((cleanup) => void cleanups.push(cleanup));
  });
  beforeEach(async () => {
    // Should a test have left it dead, then the next one must not fail for that.
    if (!(await isUp(server))) {
      await cleanUp();
      server = await start((cleanup) => void cleanups.push(cleanup));
    }
    if (!keepsSessions) await removeSessions(server);
    await removeLogins(server);
    person = await newPerson(browser);
  });
  afterEach(async () => {
    await person.close();
    for (const other of elsewhere.splice(0)) await other.close();
  });
  afterAll(async () => {
    await browser.close();
    await cleanUp();
  });

  const call = <T>(method: string, path: string, body?: unknown) => callApi<T>(server, method, path, body);
  const loginLink = async () => (await call<{ url: string }>("POST", "/api/login-links")).url;
  const url = () => address?.() ?? server.url;

  return {
    get browser() {
      return browser;
    },
    get server() {
      return server;
    },
    get person() {
      return person;
    },
    async open(path = "/", options) {
      if (options) {
        await person.close();
        person = await newPerson(browser, options);
      }
      return openIn(person, path);
    },
    async openElsewhere(path) {
      const other = await newPerson(browser);
      elsewhere.push(other);
      return openIn(other, path);
    },
    loginLink,
    call,
    create: async (title) => (await call<{ id: string }>("POST", "/api/sessions", { title })).id,
  };

  async function openIn(who: BrowserContext, path: string): Promise<WatchedPage> {
    if ((await who.cookies()).length === 0) await logIn(who);
    const page = await newTab(who, new URL(path, url()).href);
    await page.getByText("connected", { exact: true }).first().waitFor({ state: "attached" });
    return page;
  }

  /** As the page does it, without the page. */
  async function logIn(who: BrowserContext): Promise<void> {
    const secret = new URL(await loginLink()).hash.slice(1);
    const answer = await who.request.post(new URL("/api/login", url()).href, { data: { secret } });
    if (!answer.ok()) throw new Error(`the login was refused: ${await answer.text()}`);
  }

  async function cleanUp(): Promise<void> {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  }
}

export function useServer(options: ServerOptions = {}): Visit<ServerProcess> {
  return useVisit(async (atEnd) => {
    const server = await startServer(options);
    atEnd(() => server.remove());
    return server;
  });
}

export function useScriptedServer(options: VisitOptions = {}): Visit<ScriptedServer> {
  return useVisit(async (atEnd) => {
    const server = await startScriptedServer();
    atEnd(() => server.remove());
    await server.listen();
    return server;
  }, options);
}

export function useAgentServer(options: Omit<AgentServerOptions, "dialect">): Visit<AgentServer> {
  return useVisit((atEnd) => startAgentServer({ dialect: "sqlite", ...options }, atEnd));
}

async function isUp(server: Visited): Promise<boolean> {
  return server.fetch("/healthz").then(
    ({ ok }) => ok,
    () => false,
  );
}

const PAGES_MAX = 10;

async function removeSessions(server: Visited): Promise<void> {
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { items } = await callApi<{ items: { id: string }[] }>(server, "GET", "/api/sessions?limit=200");
    if (items.length === 0) return;
    for (const { id } of items) {
      await unlessGone(server, "POST", `/api/sessions/${id}/stop`);
      await unlessGone(server, "DELETE", `/api/sessions/${id}?force=true`);
    }
  }
}

/** A page that was closed with a deletion that could be taken back sends it with its last breath. */
async function unlessGone(server: Visited, method: string, path: string): Promise<void> {
  const answer = await server.fetch(path, { method });
  if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status}`);
}

async function removeLogins(server: Visited): Promise<void> {
  const { items } = await callApi<{ items: { id: string }[] }>(server, "GET", "/api/logins");
  for (const { id } of items) await callApi(server, "DELETE", `/api/logins/${id}`);
}
