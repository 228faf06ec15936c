// For scenarios: a real server whose agents talk to a stub model, with commands that really run, and the log to look at.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import type { AnyEvent } from "../src/session/event.ts";
import { callApi } from "./call-api.ts";
import { createDatabase } from "./postgres.ts";
import { readLog } from "./seen-facts.ts";
import { startServer, type ServerProcess } from "./server-process.ts";
import { startStubModel, type Answer, type StubModel, type StubRequest } from "./stub-model.ts";

export type Dialect = "sqlite" | "postgres";

export type AgentServer = ServerProcess & {
  readonly model: StubModel;
  readonly workspace: string;
  /** Of PostgreSQL; undefined on SQLite. */
  readonly databaseUrl: string | undefined;
  /** What lies in the workspace of every session; "" when it is not there. */
  file(name: string): Promise<string>;
  touch(name: string): Promise<void>;
  /** To a session, or to a new one; gives the session. */
  send(text: string, session?: string): Promise<string>;
  log(session: string): Promise<AnyEvent[]>;
  /** The log, once there are so many facts of this type in it. The server may be gone meanwhile. */
  untilFact(session: string, type: string, count?: number): Promise<AnyEvent[]>;
};

/** What the model says: from what it was told alone, so that it says the same after a crash. */
export type Conversation = (told: Told) => Answer;
export type Told = {
  /** Of the persons, oldest first. */
  prompts: string[];
  /** Results of calls since the last of these. */
  results: string[];
};

export type AgentServerOptions = {
  dialect: Dialect;
  says: Conversation;
  /** Of [profiles.default]. */
  profile?: string;
  config?: string;
  databaseUrl?: string;
  workspace?: string;
  home?: string;
  env?: Record<string, string>;
};

const PATIENCE_MS = 50_000;
const BETWEEN_LOOKS_MS = 10;

export async function startAgentServer(
  options: AgentServerOptions,
  atEnd: (cleanup: () => Promise<void>) => void,
): Promise<AgentServer> {
  const model = await startStubModel((request) => options.says(toldTo(request)));
  atEnd(() => model.close());
  const home = options.home ?? (await mkdtemp(join(tmpdir(), "holdfast-home-")));
  const workspace = options.workspace ?? (await mkdtemp(join(tmpdir(), "holdfast-work-")));
  atEnd(() => rm(workspace, { recursive: true, force: true }));
  await writeFile(join(home, "config.toml"), configFor(model, workspace, options));
  const databaseUrl = options.databaseUrl ?? (await databaseFor(options.dialect, atEnd));
  const server = await startServer({
    home,
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(options.env && { env: options.env }),
  });
  atEnd(() => server.remove());
  const log = (session: string) => readLog(server, session);
  return Object.assign(Object.create(server) as ServerProcess, {
    model,
    workspace,
    databaseUrl,
    file: (name: string) => readFile(join(workspace, name), "utf8").catch(() => ""),
    touch: (name: string) => writeFile(join(workspace, name), ""),
    send: (text: string, session?: string) => send(server, text, session),
    log,
    async untilFact(session: string, type: string, count = 1) {
      const giveUpAt = Date.now() + PATIENCE_MS;
      for (;;) {
        const events = await log(session).catch(() => []); // it may be down just now
        if (events.filter((event) => event.type === type).length >= count) return events;
        if (Date.now() > giveUpAt)
          throw new Error(`no ${type} came:\n${JSON.stringify(events, null, 1)}\n${server.output}`);
        await delay(BETWEEN_LOOKS_MS); // each look reads the whole log, with a processor that the server needs
      }
    },
  });
}

function configFor(
  model: StubModel,
  workspace: string,
  { profile = "", config = "" }: AgentServerOptions,
): string {
  return `${config}
[providers.stub]
kind = "openai-compatible"
baseUrl = "${model.baseUrls["openai-compatible"]}"
[profiles.default]
model = "stub/one"
workspace = "${workspace}"
${profile.includes("approvals") ? "" : 'approvals = "auto"'}
${profile}
`;
}

async function databaseFor(
  dialect: Dialect,
  atEnd: (cleanup: () => Promise<void>) => void,
): Promise<string | undefined> {
  if (dialect === "sqlite") return undefined;
  const database = await createDatabase(inject("postgresUrl"));
  atEnd(() => database.drop());
  return database.url;
}

async function send(server: ServerProcess, text: string, session?: string): Promise<string> {
  const input = { kind: "prompt", text };
  const [path, body] =
    session === undefined ? ["/api/sessions", { input }] : [`/api/sessions/${session}/inputs`, input];
  const said = await callApi<{ id?: string; session?: string }>(server, "POST", path, body);
  return said.id ?? said.session ?? "";
}

type ChatMessage = { role: string; content?: string | { text?: string }[] | null };

function toldTo({ body }: StubRequest): Told {
  const { messages } = body as { messages: ChatMessage[] };
  const last = messages.findLastIndex(({ role }) => role === "user");
  return {
    prompts: messages.filter(({ role }) => role === "user").map(textOf),
    results: messages
      .slice(last)
      .filter(({ role }) => role === "tool")
      .map(textOf),
  };
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}
