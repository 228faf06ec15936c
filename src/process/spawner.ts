// Owns the helper process that starts shims, and starts another when it dies.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SpawnReply, SpawnRequest } from "./spawner-child.ts";

export type Spawned = { ok: true; pid: number } | { ok: false; reason: string };

type Request = Omit<SpawnRequest, "id">;

/** A request is sent again when the helper dies with it; more deaths than this are not chance. */
const TRIES_MAX = 3;

// Beside this file in the same language: TypeScript from a checkout, JavaScript as published.
const PROGRAM = fileURLToPath(new URL(`./spawner-child${import.meta.url.slice(-3)}`, import.meta.url));

export class Spawner {
  #helper: ChildProcess | undefined;
  #closed = false;
  #lastId = 0;
  #unanswered = new Map<number, (answer: Spawned | "helper died") => void>();
  #running = new Map<number, () => void>();

  /**
   * Safe to be sent twice, because a shim that comes second finds its directory claimed. So a request whose helper
   * died is sent again without knowing whether it was carried out. `ended` is called when the shim has ended, but
   * not if the helper went first.
   */
  async spawn(request: Request, ended: () => void): Promise<Spawned> {
    for (let tries = 0; tries < TRIES_MAX && !this.#closed; tries++) {
      const answer = await this.#send(request, ended);
      if (answer !== "helper died") return answer;
    }
    if (this.#closed) return { ok: false, reason: "Holdfast is shutting down" };
    return { ok: false, reason: `the helper that starts commands died ${TRIES_MAX} times in a row` };
  }

  /** Best when the server begins: starting the helper is a fork too, and later the server is large. */
  start(): void {
    this.#helper ??= this.#fork();
  }

  /** Of the helper, when there is one. */
  get pid(): number | undefined {
    return this.#helper?.pid;
  }

  /** Ends the helper; what it started goes on. */
  async close(): Promise<void> {
    this.#closed = true;
    const helper = this.#helper;
    if (helper === undefined) return;
    const exit = once(helper, "exit");
    hold(helper);
    if (helper.connected) helper.disconnect();
    await exit;
  }

  #send(request: Request, ended: () => void): Promise<Spawned | "helper died"> {
    const helper = (this.#helper ??= this.#fork());
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#running.set(id, ended);
      this.#unanswered.set(id, resolve);
      hold(helper);
      helper.send({ id, ...request } satisfies SpawnRequest, (error) => {
        if (error !== null) helper.kill("SIGKILL"); // it can't be reached any more; its exit settles the request
      });
    });
  }

  #fork(): ChildProcess {
    const helper = fork(PROGRAM, [], {
      env: compileCache(),
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    helper.on("message", (reply: SpawnReply) => this.#heard(helper, reply));
    helper.on("error", () => this.#died(helper));
    helper.on("exit", () => this.#died(helper));
    letGo(helper);
    return helper;
  }

  #heard(helper: ChildProcess, reply: SpawnReply): void {
    if ("exit" in reply) {
      this.#running.get(reply.id)?.();
      this.#running.delete(reply.id);
      return;
    }
    if ("error" in reply) this.#running.delete(reply.id);
    this.#unanswered.get(reply.id)?.(
      "pid" in reply ? { ok: true, pid: reply.pid } : { ok: false, reason: reply.error },
    );
    this.#unanswered.delete(reply.id);
    if (this.#unanswered.size === 0) letGo(helper);
  }

  #died(helper: ChildProcess): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    this.#running.clear();
    const unanswered = [...this.#unanswered.values()];
    this.#unanswered.clear();
    for (const resolve of unanswered) resolve("helper died");
  }
}

/** Only an unanswered request keeps a program from ending. */
function hold(helper: ChildProcess): void {
  helper.ref();
  helper.channel?.ref();
}

function letGo(helper: ChildProcess): void {
  helper.unref();
  helper.channel?.unref();
}

/** The helper needs nothing of the server's environment but, to start sooner, its cache. */
function compileCache(): Record<string, string> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
}
