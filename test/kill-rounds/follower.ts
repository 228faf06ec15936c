// Someone who watches every session of a round through all the kills. What they were shown is what must not change.
import { WebSocket } from "ws";
import type { AnyEvent } from "../../src/session/event.ts";
import { START } from "../../src/session/position.ts";
import type { ServerProcess } from "../server-process.ts";

const PATIENCE_MS = 50_000;

export class Follower {
  readonly #server: ServerProcess;
  readonly #seen = new Map<string, AnyEvent[]>();
  #socket: WebSocket | undefined;
  #count = 0;
  #fault: Error | undefined;
  #wakes = new Set<() => void>();

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Events in all. */
  get count(): number {
    return this.#count;
  }

  /** Woken by what comes, so that the server is not kept busy by being asked. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const giveUp = AbortSignal.timeout(PATIENCE_MS);
    while (!holds()) {
      if (this.#fault) throw this.#fault;
      await new Promise<void>((resolve) => {
        this.#wakes.add(resolve);
        giveUp.addEventListener("abort", () => resolve());
      });
      if (giveUp.aborted && !holds()) throw new Error(`waited too long: ${what}`);
    }
  }

  seen(session: string): readonly AnyEvent[] {
    return this.#seen.get(session) ?? [];
  }

  follow(session: string): void {
    if (this.#seen.has(session)) return;
    this.#seen.set(session, []);
    this.#attach(session);
  }

  forget(): void {
    this.#socket?.close();
    this.#socket = undefined;
    this.#seen.clear();
  }

  /** After each start: the socket died with the server. */
  connect(): void {
    const socket = new WebSocket(`${this.#server.url.replace("http", "ws")}/api/ws`, {
      headers: { authorization: `Bearer ${this.#server.token}` },
    });
    this.#socket = socket;
    socket.on("open", () => {
      for (const session of this.#seen.keys()) this.#attach(session);
    });
    socket.on("message", (data: Buffer) => this.#take(JSON.parse(data.toString()) as Frame));
    socket.on("error", () => {}); // the server was killed, which is what this is about
  }

  #attach(session: string): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return; // on its opening, then
    const after = this.seen(session).at(-1)?.position ?? START;
    this.#socket.send(JSON.stringify({ op: "attach", session, after }));
  }

  #take({ op, session = "", events = [] }: Frame): void {
    if (op === "resync") this.#fault ??= new Error(`${session} was resynced`);
    this.#seen.get(session)?.push(...events);
    this.#count += events.length;
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }
}

type Frame = { op: string; session?: string; events?: AnyEvent[] };
