// Starts serve-with-script.ts as a process of its own, that can be killed and started again, and talks to it.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { NewEvent } from "../src/session/event.ts";
import type { Position } from "../src/session/position.ts";
import type { ScriptAnswer, ScriptCommand, ScriptedAgents } from "./serve-with-script.ts";
import type { Script } from "./scripted-work.ts";
import { freePort } from "./server-process.ts";

const program = fileURLToPath(new URL("serve-with-script.ts", import.meta.url));

export type ScriptedServer = {
  readonly url: string;
  readonly token: string;
  /** Comes up without listening: what is appended now happens while nobody can look. */
  start(): Promise<void>;
  listen(): Promise<void>;
  kill(): Promise<void>;
  /** Kills it and removes its home. */
  remove(): Promise<void>;
  create(title: string): Promise<string>;
  append(session: string, events: NewEvent[], by?: "owner" | "executor"): Promise<Position>;
  /** All of a script at once; what a person sends is by that person. */
  play(session: string, script: Script): Promise<Position>;
  see(session: string, position: Position): Promise<void>;
  setClock(behindMs: number): Promise<void>;
  /** Its clock shows this until it is set again. */
  stopClock(at: number): Promise<void>;
  /** Before it listens. */
  setAgents(agents: ScriptedAgents): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  loginLink(): Promise<string>;
};

export async function startScriptedServer(): Promise<ScriptedServer> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-home-"));
  const port = await freePort();
  const token = "a-token-for-tests-that-is-long-enough";
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let answers: AsyncIterator<string> | undefined;

  const say = async (command: ScriptCommand) => {
    if (!child || !answers) throw new Error("the scripted server is not up");
    child.stdin.write(`${oneLine(command)}\n`);
    const line = await answers.next();
    if (line.done) throw new Error(`the scripted server ended over ${JSON.stringify(command)}`);
    const answer = JSON.parse(line.value) as ScriptAnswer;
    if (!answer.ok) throw new Error(`${command.op}: ${answer.error}`);
    return answer;
  };
  const start = () => {
    child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env["PATH"],
        HOLDFAST_HOME: home,
        HOLDFAST_PORT: String(port),
        HOLDFAST_TOKEN: token,
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return Promise.resolve();
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const append = async (session: string, events: NewEvent[], by: "owner" | "executor" = "executor") => {
    const { position } = await say({ op: "append", session, events, by });
    if (position === undefined) throw new Error("an append answers with its position");
    return position;
  };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    });
  await start();
  return {
    url,
    token,
    start,
    listen: async () => void (await say({ op: "listen" })),
    kill,
    remove: async () => {
      await kill();
      await rm(home, { recursive: true, force: true });
    },
    create: async (title) => {
      const { session } = await say({ op: "create", title });
      if (session === undefined) throw new Error("a new session has an id");
      return session;
    },
    append,
    play: async (session, { entries }) => {
      let position = "" as Position; // a script has at least one entry
      for (const { event } of entries)
        position = await append(session, [event], event.type === "input_admitted" ? "owner" : "executor");
      return position;
    },
    see: async (session, position) => void (await say({ op: "see", session, position })),
    setClock: async (behindMs) => void (await say({ op: "clock", behindMs })),
    stopClock: async (at) => void (await say({ op: "stand", at })),
    setAgents: async (agents) => void (await say({ op: "agents", agents })),
    fetch: ask,
    loginLink: async () => {
      const answer = await ask("/api/login-links", { method: "POST" });
      return ((await answer.json()) as { url: string }).url;
    },
  };
}

/** JSON leaves characters as they are that readline takes for the end of a line. */
function oneLine(command: ScriptCommand): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(command).replaceAll(/[\u0085\u2028\u2029]/g, escaped);
}
