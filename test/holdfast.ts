// The real command line as a process of its own, as a person or a script would run it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServerProcess } from "./server-process.ts";

const launcher = fileURLToPath(new URL("../bin/launch.cjs", import.meta.url));

export type Env = Record<string, string>;
export type Ended = { code: number | null; out: string; err: string };

export type Running = {
  readonly out: string;
  readonly err: string;
  /** Each line of stdout so far that is whole, as JSON. */
  json<T>(): T[];
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
};

export function envOf({ url, token, home }: Pick<ServerProcess, "url" | "token" | "home">): Env {
  return { HOLDFAST_URL: url, HOLDFAST_TOKEN: token, HOLDFAST_HOME: home };
}

/** A new session with its first prompt; its id. */
export async function begin(env: Env, title: string, text: string): Promise<string> {
  const { session } = await holdfastJson<{ session: string }>(env, ["send", "new", text, "--title", title]);
  return session;
}

/** Runs it to its end. */
export function holdfast(env: Env, args: readonly string[], stdin?: string): Promise<Ended> {
  return startHoldfast(env, args, stdin).ended;
}

/** As JSON; fails when the command does. */
export async function holdfastJson<T>(env: Env, args: readonly string[]): Promise<T> {
  const { code, out, err } = await holdfast(env, [...args, "--json"]);
  if (code !== 0) throw new Error(`holdfast ${args.join(" ")} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}

export function startHoldfast(env: Env, args: readonly string[], stdin?: string): Running {
  const child: ChildProcess = spawn(process.execPath, [launcher, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  if (stdin !== undefined) child.stdin?.end(stdin);
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  return {
    get out() {
      return out;
    },
    get err() {
      return err;
    },
    json: <T>() =>
      out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as T),
    signal: (signal) => void child.kill(signal),
    ended,
  };
}
