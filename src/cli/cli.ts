// What every command works with.
import type { Command } from "commander";
import { createClient, type Client } from "../client/commands.ts";
import type { Deps } from "./deps.ts";
import { Failure } from "./exit.ts";
import { serverAddress, type ServerAddress } from "./server-address.ts";
import type { Terminal } from "./terminal.ts";

export type Cli = {
  readonly deps: Deps;
  readonly terminal: Terminal;
  readonly stdin: NodeJS.ReadStream;
  readonly now: () => number;
  /** Told of Ctrl-C, instead of being ended by it, until the returned function is called. */
  readonly onInterrupt: (run: () => void) => () => void;
  readonly address: ServerAddress;
  /** Tries through a restart of the server, but not much longer: someone is waiting. */
  readonly client: Client;
  /** Tries once: to find out whether a server is there at all. */
  readonly hastyClient: Client;
};

const PATIENCE_MS = 3_000;

export function makeCli(
  deps: Deps,
  terminal: Terminal,
  { env, ...around }: Pick<Cli, "stdin" | "now" | "onInterrupt"> & { env: NodeJS.ProcessEnv },
): Cli {
  const clientWith = (address: ServerAddress, patienceMs: number) =>
    createClient({ url: address.url, token: address.token, patienceMs });
  return {
    deps,
    terminal,
    ...around,
    // Only when asked for: `serve` and `--help` need neither settings nor token.
    get address() {
      return serverAddress(env, deps.settings());
    },
    get client() {
      return clientWith(this.address, PATIENCE_MS);
    },
    get hastyClient() {
      return clientWith(this.address, 0);
    },
  };
}

export function isJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

/** Prints the value as JSON when that is asked for, else for a person. */
export function answer<T>(cli: Cli, command: Command, value: T, show: (value: T) => void): void {
  if (isJson(command)) cli.terminal.json(value);
  else show(value);
}

export function wholeNumber(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Failure("usage", `${name} is "${text}"; it must be a whole number from ${least} to ${most}`);
    return value;
  };
}
