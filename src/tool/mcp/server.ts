// An MCP server of the configuration, through all its connections: opened when an agent needs it, opened again when it
// ended, and left alone for a while when it can't be.
import { setTimeout as delay } from "node:timers/promises";
import type { McpConfig } from "../../config/schema.ts";
import type { Server } from "../tool.ts";
import { behind } from "./behind.ts";
import type { Called, Connection } from "./connection.ts";
import type { DescribedTool } from "./described.ts";

export type McpState =
  | { state: "closed" }
  | { state: "starting"; sinceMs: number }
  | { state: "open"; tools: readonly DescribedTool[]; instructions: string }
  | { state: "failed"; why: string; atMs: number };

export type McpOptions = {
  name: string;
  config: McpConfig;
  env: Readonly<Record<string, string>>;
  token: string | undefined;
  now: () => number;
  log: { info(detail: object, message: string): void; warn(detail: object, message: string): void };
};

export type McpCalled = Called | { answered: false; why: string; unsent: true };

/** A first start may have to fetch the program from somewhere. */
const START_MAX_MS = 120_000;
/** An agent does not wait so long: it goes on without, and its next step may have what came meanwhile. */
const WAIT_MAX_MS = 15_000;
const RETRY_AFTER_MS = 30_000;

export class McpServer {
  readonly name: string;
  readonly #options: McpOptions;
  #state: McpState = { state: "closed" };
  #connection: Connection | undefined;
  #opening: Promise<void> | undefined;
  #openedAtMs = 0;
  #isOver = false;
  #behind: Promise<Server> | undefined;

  constructor(options: McpOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Immutable: another object is another state. */
  get state(): McpState {
    return this.#state;
  }

  get config(): McpConfig {
    return this.#options.config;
  }

  /** Made once, with the first call that is judged. */
  behind(): Promise<Server> {
    this.#behind ??= behind(this.config);
    return this.#behind;
  }

  /** Whether nothing is won by waiting for it: it is there, has just failed, or takes long. */
  isSettled(): boolean {
    const { now } = this.#options;
    if (this.#isOver) return true;
    switch (this.#state.state) {
      case "open":
        return true;
      case "failed":
        return now() - this.#state.atMs < RETRY_AFTER_MS;
      case "starting":
        return now() - this.#state.sinceMs >= WAIT_MAX_MS;
      case "closed":
        return false;
    }
  }

  async settle(signal: AbortSignal): Promise<void> {
    if (this.isSettled()) return;
    const opened = this.#open();
    const waitedMs = this.#state.state === "starting" ? this.#options.now() - this.#state.sinceMs : 0;
    const late = new AbortController();
    const either = AbortSignal.any([signal, late.signal]);
    await Promise.race([
      opened,
      delay(WAIT_MAX_MS - waitedMs, undefined, { signal: either }).catch(() => {}),
    ]);
    late.abort();
  }

  async #open(): Promise<void> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<McpCalled> {
    await this.settle(signal);
    if (this.#connection) return this.#connection.call(tool, args, signal);
    const why = this.#state.state === "failed" ? this.#state.why : "it has not started yet";
    return { answered: false, why, unsent: true };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { name, config, env, token, now, log } = this.#options;
    this.#state = { state: "starting", sinceMs: now() };
    try {
      const { connect } = await import("./connection.ts");
      let connection: Connection | undefined;
      connection = await connect({
        config,
        env,
        token,
        timeoutMs: START_MAX_MS,
        changed: (tools) => {
          if (connection && this.#connection === connection) this.#have(tools, connection.instructions);
        },
        closed: (why) => {
          if (connection && this.#connection === connection) this.#lose(why);
        },
      });
      if (this.#isOver) return await connection.close();
      this.#connection = connection;
      this.#openedAtMs = now();
      this.#have(connection.tools, connection.instructions);
      log.info({ mcp: name, tools: connection.tools.length }, "an MCP server is there");
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #have(tools: readonly DescribedTool[], instructions: string): void {
    this.#state = { state: "open", tools, instructions };
  }

  /** Opened again at its next use, but one that ends as soon as it begins is not begun over and over. */
  #lose(why: string): void {
    const { name, log } = this.#options;
    const connection = this.#connection;
    this.#connection = undefined; // before it is closed, which says so once more
    connection
      ?.close()
      .catch((error: unknown) => log.warn({ mcp: name, err: error }, "an MCP server did not let go"));
    this.#state = { state: "failed", why, atMs: this.#openedAtMs };
    if (!this.#isOver) log.warn({ mcp: name, why }, "an MCP server went away");
  }

  #fail(why: string): void {
    const { name, log, now } = this.#options;
    this.#state = { state: "failed", why, atMs: now() };
    log.warn({ mcp: name, why }, "an MCP server could not be started");
  }
}
