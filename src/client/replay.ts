// Every event of a log, each once and in order, from any position and for as long as wanted: what lies behind is read
// in pages, what comes is heard on the socket. Where the socket would skip ahead to a view, the pages fill in.
import type { AnyEvent } from "../session/event.ts";
import type { Position } from "../session/position.ts";
import type { Delivery } from "./attachment.ts";
import { sleep } from "./clock.ts";
import { sessionPath, type Client } from "./commands.ts";
import { ProblemError, Unreachable } from "./errors.ts";
import { request } from "./request.ts";
import type { Attached, Socket, Start } from "./socket.ts";

/** Between two rounds of tries, when the socket stands and yet no page comes. */
const AGAIN_MS = 250;

/** `deliver` gives a promise when it can take no more until that is settled: a slow reader fills no memory. */
export function replay(
  client: Client,
  socket: Socket,
  session: string,
  after: Position,
  deliver: (delivery: Delivery) => Promise<void> | void,
): Attached {
  const left = new AbortController();
  let position = after;
  /** Of which store that is a position; the first one that we meet. */
  let store: string | undefined;
  let attached: Attached | undefined;
  void follow();
  return {
    leave() {
      left.abort(new Error("left"));
      attached?.leave();
    },
    resync() {}, // a replay is whole by itself
  };

  async function follow(ready?: Promise<void>): Promise<void> {
    attached?.leave();
    attached = undefined;
    await ready;
    for (;;) {
      // The store is asked for before the pages, so that one which is replaced in between is noticed.
      const connected = await connectedStore(socket, left.signal);
      if (connected === undefined) return;
      store ??= connected;
      const read = await readPages(store);
      if (left.signal.aborted || read === "over") return;
      if (read === "read") {
        attached = socket.attach(session, { after: position, store }, hear);
        return;
      }
      await sleep(client.transport.clock, AGAIN_MS);
    }
  }

  function hear(delivery: Delivery): void {
    if (left.signal.aborted) return;
    if (delivery.type === "resync" && delivery.reason !== "ahead" && delivery.reason !== "other_store")
      return void follow();
    if (delivery.type === "events") position = delivery.events.at(-1)?.position ?? position;
    if (delivery.type === "resync") {
      position = delivery.view.position;
      if (socket.connection.state === "connected") store = socket.connection.hello.store;
    }
    const ready = deliver(delivery);
    if (ready) void follow(ready); // what comes meanwhile is left in the log
  }

  async function readPages(of: string): Promise<"read" | "later" | "over"> {
    try {
      for (;;) {
        const page = await readPage(client, session, { after: position, store: of }, left.signal);
        position = page.events.at(-1)?.position ?? position;
        if (page.events.length > 0) await deliver({ type: "events", events: page.events, isReplay: true });
        if (page.upToDate) return "read";
      }
    } catch (error) {
      if (left.signal.aborted) return "over";
      if (error instanceof Unreachable) return "later";
      if (!(error instanceof ProblemError)) throw error;
      if (error.status >= 500 || error.status === 429) return "later";
      // The socket has an answer to a position that is not of this log: a view.
      if (error.code === "position_ahead" || error.code === "other_store") return "read";
      await deliver({ type: "refused", code: error.code, detail: error.problem.detail });
      return "over";
    }
  }
}

/** One page of the log behind a position. */
export function readPage(
  client: Client,
  session: string,
  { after, store }: Pick<Start, "after"> & Partial<Start>,
  signal?: AbortSignal,
): Promise<{ events: AnyEvent[]; upToDate: boolean }> {
  const call = {
    method: "GET",
    path: `${sessionPath(session)}/events`,
    query: { offset: after, store },
    signal,
  } as const;
  return request(client.transport, call, async (response) => ({
    events: (await response.json()) as AnyEvent[], // the log's own text
    upToDate: response.headers.get("stream-up-to-date") === "true",
  }));
}

/** Waits for the connection however long that takes; undefined once the signal is aborted. */
function connectedStore(socket: Socket, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    if (socket.connection.state === "connected") return resolve(socket.connection.hello.store);
    const stop = socket.onConnection((connection) => {
      if (connection.state !== "connected") return;
      end(connection.hello.store);
    });
    const abort = () => end(undefined);
    const end = (store: string | undefined) => {
      stop();
      signal.removeEventListener("abort", abort);
      resolve(store);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
}
