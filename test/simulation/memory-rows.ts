// The rows beside the logs: timers, asks, processes and what is asked of them, as the store's contract has them.
import { askChanges } from "../../src/session/asks.ts";
import type { By, NewEvent } from "../../src/session/event.ts";
import { processChanges } from "../../src/session/processes.ts";
import {
  REQUEST_LEFT_MS,
  type NewProcessRequest,
  type ProcessRequest,
  type ProcessRow,
  type Timer,
} from "../../src/store/store.ts";

/** All of a simulation's nodes are on one machine. */
export const HOST = "sim";

export class MemoryRows {
  readonly timers = new Map<string, Timer>();
  readonly processes = new Map<string, ProcessRow>();
  readonly requests = new Map<string, ProcessRequest & { takenAt: number | null }>();
  /** Of which session each ask is, and whether it is open. */
  readonly asks = new Map<string, { session: string; open: boolean }>();

  /** What an append does to them. */
  follow(session: string, events: readonly NewEvent[], at: string, by: By): void {
    for (const { ask, opened, closed } of askChanges(events, at, by)) {
      if (opened) this.asks.set(ask, { session, open: true });
      const row = this.asks.get(ask);
      if (closed && row) row.open = false;
    }
    for (const { process, started, ended } of processChanges(events, at)) {
      if (started && !this.processes.has(process))
        this.processes.set(process, {
          id: process,
          session,
          host: HOST,
          command: started.command,
          cwd: started.cwd,
          call: started.call ?? null,
          background: started.background ?? false,
          status: "running",
          startedAt: started.startedAt,
          endedAt: null,
          exit: null,
          cause: null,
        });
      const row = this.processes.get(process);
      if (ended && row?.status === "running") this.processes.set(process, { ...row, ...ended });
    }
  }

  runningOf(session: string): ProcessRow[] {
    return [...this.processes.values()].filter((row) => row.session === session && row.status === "running");
  }

  /** Its session has a successor, whose it is from now on. */
  goOver(from: string, to: string): void {
    for (const row of this.runningOf(from)) this.processes.set(row.id, { ...row, session: to });
  }

  /** Its session is deleted: what runs gets its stop, and its row stays until it has. */
  takeAway(session: string): void {
    for (const { id, status, session: of } of this.processes.values()) {
      if (of !== session) continue;
      if (status !== "running") this.processes.delete(id);
      else this.#ask({ id: `req_end_${id}`, process: id, wish: { do: "stop" } });
    }
    for (const [key, { log }] of this.timers) if (log === session) this.timers.delete(key);
    for (const [ask, row] of this.asks) if (row.session === session) this.asks.delete(ask);
  }

  request(request: NewProcessRequest): void {
    if (this.processes.get(request.process)?.status === "running") this.#ask(request);
  }

  takeRequests(now: number): { request: ProcessRequest; again: boolean }[] {
    const open = [...this.requests.values()].filter(
      ({ outcome, takenAt, process }) =>
        outcome === null &&
        this.processes.has(process) &&
        (takenAt === null || Math.abs(now - takenAt) >= REQUEST_LEFT_MS),
    );
    return open.map((request) => {
      const again = request.takenAt !== null;
      request.takenAt = now;
      return { request: { ...request }, again };
    });
  }

  finishRequest(id: string, outcome: string): void {
    const request = this.requests.get(id);
    if (request) request.outcome ??= outcome;
  }

  dueTimers(limit: number, now: number): Timer[] {
    return [...this.timers.values()].filter(({ dueAt }) => Date.parse(dueAt) <= now).slice(0, limit);
  }

  #ask(request: NewProcessRequest): void {
    if (!this.requests.has(request.id))
      this.requests.set(request.id, { ...request, outcome: null, takenAt: null });
  }
}
