// One real server with a conducted model, one browser, one person: what every file of the matrix plays on. A test opens
// tabs and sessions as it likes; after it all of them are gone, so that the next one finds an empty house.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { startAgentServer, type AgentServer } from "../../agent-server.ts";
import { launchChromium } from "../../chromium.ts";
import { conductor, type Conductor } from "../../conducted-model.ts";
import { freePort } from "../../server-process.ts";
import { startProxy, type Proxy } from "../../tcp-proxy.ts";
import { buildPage } from "../built-page.ts";
import { newPerson, newTab, type WatchedPage } from "../watched-page.ts";

export type Stage = {
  readonly server: AgentServer;
  readonly model: Conductor;
  /** Between every page and the server. */
  readonly network: Proxy;
  /** A tab of the person at this path, once it is connected. */
  open(path: string): Promise<WatchedPage>;
  /** A tab of the same person in another browser, such as a phone's. */
  openElsewhere(path: string): Promise<WatchedPage>;
  /** A session of this title, with a prompt of its own: the model's calls are told apart by it. */
  begin(title: string, profile?: "default" | "careful"): Promise<Begun>;
  call: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;
};

export type Begun = { session: string; title: string; prompt: string };

export function useStage(): Stage {
  const cleanups: (() => Promise<void>)[] = [];
  let browser: Browser;
  let server: AgentServer;
  let model: Conductor;
  let network: Proxy;
  let person: BrowserContext;
  const elsewhere: BrowserContext[] = [];
  let prompts = 0;

  beforeAll(async () => {
    buildPage();
    browser = await launchChromium();
    model = conductor();
    const workspace = await mkdtemp(join(tmpdir(), "holdfast-work-"));
    const profile = profilesIn(workspace);
    const port = await freePort();
    const config = `[server]\nhosts = ["127.0.0.1:${port}"]`;
    server = await startAgentServer(
      { dialect: "sqlite", says: model.says, workspace, profile, config },
      (cleanup) => void cleanups.push(cleanup),
    );
    network = await startProxy(server.url, port);
    cleanups.push(() => network.close());
    // Its agents are loaded after it listens.
    await vi.waitUntil(async () => (await server.fetch("/api/profiles")).ok, { timeout: 20_000 });
    person = await newPerson(browser);
    await logIn(person);
  });
  afterEach(async () => {
    network.heal();
    for (const page of person.pages()) await page.close();
    for (const other of elsewhere.splice(0)) await other.close();
    await removeSessions();
  });
  afterAll(async () => {
    await browser.close();
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  return {
    get server() {
      return server;
    },
    get model() {
      return model;
    },
    get network() {
      return network;
    },
    open: (path) => openIn(person, path),
    async openElsewhere(path) {
      const other = await newPerson(browser);
      elsewhere.push(other);
      await logIn(other);
      return openIn(other, path);
    },
    async begin(title, profile = "default") {
      const prompt = `Prompt ${++prompts}`;
      const input = { kind: "prompt", text: prompt };
      const { id } = await call<{ id: string }>("POST", "/api/sessions", { title, profile, input });
      return { session: id, title, prompt };
    },
    call,
  };

  async function logIn(who: BrowserContext): Promise<void> {
    const { url } = await call<{ url: string }>("POST", "/api/login-links");
    const { pathname, hash } = new URL(url); // the same through the network
    const page = await newTab(who, new URL(pathname + hash, network.url).href);
    await page.waitForURL(network.url);
    await page.close();
  }

  async function openIn(who: BrowserContext, path: string): Promise<WatchedPage> {
    const page = await newTab(who, new URL(path, network.url).href);
    await page.getByText("connected", { exact: true }).first().waitFor();
    return page;
  }

  async function removeSessions(): Promise<void> {
    const { items } = await call<{ items: { id: string }[] }>("GET", "/api/sessions?limit=200");
    for (const { id } of items) {
      await call("POST", `/api/sessions/${id}/stop`);
      await call("DELETE", `/api/sessions/${id}?force=true`);
    }
  }

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const json = body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const answer = await server.fetch(path, { method, ...json });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T; // the API's own schema made it
  }
}

/** `default` runs everything; `careful` asks first, since nothing keeps its commands in. */
function profilesIn(workspace: string): string {
  return `approvals = "auto"
[profiles.careful]
model = "stub/one"
workspace = "${workspace}"
approvals = "ask"
sandbox = "none"
`;
}
