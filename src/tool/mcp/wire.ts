// An MCP server that is a program: messages are lines on its standard input and output. It lives no longer than we do,
// however we end: a watcher in its process group holds one end of a pipe, and ends the group once the other end is closed.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { spawn, type ChildProcess } from "node:child_process";
import { homedir } from "node:os";
import type { Writable } from "node:stream";

export type Program = { command: readonly string[]; env: Readonly<Record<string, string>> };

const MESSAGE_MAX_BYTES = 10 * 1024 * 1024;
const COMPLAINT_MAX_CHARS = 1_000;
const LIFELINE = 3;

// What ends by itself when its input ends is given a second for it. The watcher is of the group, so the group's number
// can't become anyone else's before it is done; it closes the program's pipes, lest they seem to live on in it.
const WATCHED = `
( trap '' TERM HUP INT
  exec </dev/null >/dev/null 2>&1
  read _ <&${LIFELINE}
  sleep 1; kill -TERM -$$; sleep 2; kill -KILL -$$
) &
exec "$@" ${LIFELINE}<&-`;

/** Spawned from here, not by the helper that starts commands: it happens once, and the pipes are needed here. */
export class ProgramWire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: Program;
  readonly #received = new ReadBuffer({ maxBufferSize: MESSAGE_MAX_BYTES });
  readonly #gone = Promise.withResolvers<void>();
  #child: ChildProcess | undefined;
  #complaint = "";
  #ended: string | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** How it ended, in the words of its error output where it had some; undefined while it runs. */
  get ended(): string | undefined {
    return this.#ended;
  }

  async start(): Promise<void> {
    const { command, env } = this.#program;
    const child = spawn("/bin/sh", ["-c", WATCHED, "sh", ...command], {
      env,
      cwd: homedir(),
      detached: true, // leads a group
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.stdout?.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-COMPLAINT_MAX_CHARS);
    });
    // A pipe that breaks is told by the end of the program, which follows.
    for (const pipe of [child.stdin, child.stdout, child.stderr, child.stdio[LIFELINE]])
      pipe?.on("error", (error: Error) => this.onerror?.(error));
    child.once("exit", () => cut(child));
    child.once("close", (code, signal) => {
      this.#ended ??= endWords(code, signal, this.#complaint);
      this.#gone.resolve();
      this.onclose?.();
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    return new Promise((resolve, reject) => {
      if (!stdin?.writable) reject(new Error(this.#ended ?? "it is not running"));
      else
        stdin.write(serializeMessage(message), (error) => {
          if (!error) return resolve();
          // It has ended, or reads no more: how is told once it is gone.
          void this.close();
          void this.#gone.promise.then(() => reject(new Error(this.#ended, { cause: error })));
        });
    });
  }

  /** Does not wait for its end, which the watcher sees to. */
  async close(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null) return;
    this.#child.stdin?.end();
    cut(this.#child);
  }

  #receive(chunk: Buffer): void {
    try {
      this.#received.append(chunk);
    } catch {
      this.#ended = `it sent a message of more than ${MESSAGE_MAX_BYTES} bytes`;
      this.#child?.stdout?.destroy();
      void this.close();
      return;
    }
    for (;;)
      try {
        const message = this.#received.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error); // a line that is no message: many programs greet on stdout
      }
  }
}

function cut({ stdio }: ChildProcess): void {
  (stdio[LIFELINE] as Writable | null)?.destroy();
}

function endWords(code: number | null, signal: NodeJS.Signals | null, complaint: string): string {
  const how = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
  const said = complaint.trim();
  return said === "" ? how : `${how}: ${said}`;
}
