// Readers as strangers would write them, each following one session's log until it is told to stop.
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { stream } from "@durable-streams/client";
import { WebSocket } from "ws";
import type { AnyEvent } from "../src/session/event.ts";
import type { ServerProcess } from "./server-process.ts";

export type Reader = {
  readonly name: string;
  readonly seen: AnyEvent[];
  /** Times that it had to connect anew; null for a library that does so by itself. */
  readonly returns: number | null;
  stop(): Promise<void>;
};

/** Without it they would take the processor from the server that they wait for. */
const BETWEEN_TRIES_MS = 20;

/** The public client library of the protocol, with its own reconnecting. */
export function durableStreamsReader(
  server: ServerProcess,
  session: string,
  live: "sse" | "long-poll",
): Reader {
  const seen: AnyEvent[] = [];
  const ended = new AbortController();
  let offset = "-1";
  const follow = async () => {
    while (!ended.signal.aborted) {
      try {
        const response = await stream<AnyEvent>({
          url: `${server.url}/api/sessions/${session}/events`,
          headers: { authorization: `Bearer ${server.token}` },
          offset,
          live,
          json: true,
          signal: ended.signal,
          backoffOptions: { initialDelay: 20, maxDelay: 200, multiplier: 1.5, maxRetries: Infinity },
          // A server that is killed every second is not a proxy that buffers: stay with SSE.
          sseResilience: { maxShortConnections: Infinity, backoffBaseDelay: 10, backoffMaxDelay: 100 },
        });
        response.subscribeJson((batch) => {
          seen.push(...batch.items);
          offset = batch.offset;
          return Promise.resolve();
        });
        await response.closed;
      } catch (error) {
        if (!ended.signal.aborted && !isConnectionLoss(error)) throw error;
      }
    }
  };
  const done = follow();
  return reader(`@durable-streams/client by ${live}`, seen, () => null, ended, done);
}

/** `curl -N` in a shell loop: it knows nothing but the last `id:` that it was sent. */
export function curlReader(server: ServerProcess, session: string): Reader {
  const seen: AnyEvent[] = [];
  const ended = new AbortController();
  let lastId: string | undefined;
  let returns = -1;
  const once = () =>
    new Promise<void>((resolve) => {
      returns += 1;
      const resume = lastId === undefined ? [] : ["-H", `Last-Event-ID: ${lastId}`];
      const curl = spawn(
        "curl",
        [
          "-sN",
          "-H",
          `Authorization: Bearer ${server.token}`,
          ...resume,
          `${server.url}/api/sessions/${session}/events?offset=-1&live=sse`,
        ],
        { stdio: ["ignore", "pipe", "ignore"], signal: ended.signal },
      );
      let rest = "";
      curl.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        const frames = (rest + chunk).split("\n\n");
        rest = frames.pop() ?? ""; // a frame that was cut off is not an event, as with EventSource
        for (const frame of frames) lastId = takeFrame(frame, seen) ?? lastId;
      });
      curl.on("error", () => resolve()); // aborted
      curl.on("close", () => resolve());
    });
  const follow = async () => {
    for (; !ended.signal.aborted; await delay(BETWEEN_TRIES_MS)) await once();
  };
  return reader("curl", seen, () => returns, ended, follow());
}

/** A bare WebSocket that attaches again at the last position it has. */
export function socketReader(server: ServerProcess, session: string): Reader {
  const seen: AnyEvent[] = [];
  const ended = new AbortController();
  let returns = -1;
  const once = () =>
    new Promise<void>((resolve, reject) => {
      returns += 1;
      const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/ws`, {
        headers: { authorization: `Bearer ${server.token}` },
      });
      ended.signal.addEventListener("abort", () => socket.close(), { once: true });
      socket.on("open", () => {
        const after = seen.at(-1)?.position ?? "0000000000000000_0000000000000000";
        socket.send(JSON.stringify({ op: "attach", session, after }));
      });
      socket.on("message", (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as { op: string; events?: AnyEvent[] };
        if (frame.op === "resync") reject(new Error(`resync: ${data.toString().slice(-200)}`));
        if (frame.op === "events") seen.push(...(frame.events ?? []));
      });
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
    });
  const follow = async () => {
    for (; !ended.signal.aborted; await delay(BETWEEN_TRIES_MS)) await once();
  };
  return reader("WebSocket", seen, () => returns, ended, follow());
}

function takeFrame(frame: string, seen: AnyEvent[]): string | undefined {
  const field = (name: string) =>
    frame
      .split("\n")
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart())
      .join("\n");
  if (field("event") === "data") seen.push(...(JSON.parse(field("data")) as AnyEvent[]));
  return field("id") || undefined;
}

function reader(
  name: string,
  seen: AnyEvent[],
  returns: () => number | null,
  ended: AbortController,
  done: Promise<void>,
): Reader {
  let failure: unknown;
  const settled = done.catch((error: unknown) => {
    failure = error;
  });
  return {
    name,
    seen,
    get returns() {
      return returns();
    },
    stop: async () => {
      ended.abort();
      await settled;
      if (failure) throw failure;
    },
  };
}

/** Which is what a kill looks like from outside; anything else is a fault of the server's. */
function isConnectionLoss(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error && /terminated|socket|ECONN|fetch failed|aborted/i.test(error.message))
  );
}
