// `fetch` for the SDK, over Node's own HTTP client. The built-in one gives up after 300 s without a byte, which would kill
// a model that thinks silently for longer; here that limit is ours. It counts bytes and not words: a provider that sends
// keep-alives while it thinks is not silent. It also takes less for each piece of an answer: with one model that speaks,
// 4 to 18 percent of the main thread's time.
import { Agent, request, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";

export type FetchLimits = {
  /** Without a byte for so long, before the answer or within it, the call ends as silent. */
  silenceMs: number;
  /** For name, connection and TLS together. */
  connectMs: number;
};

export const USUAL_FETCH_LIMITS: FetchLimits = { silenceMs: 10 * 60_000, connectMs: 10_000 };

/** Providers close what nobody uses; a request must not meet that moment. */
const UNUSED_MS = 4_000;

/** Nothing was heard for too long. */
class Silence extends Error {
  readonly code = "ERR_SILENCE";
}

/** Of the whole standard only what the SDK uses: one URL, one text to send, no redirects. */
export function patientFetch(limits: FetchLimits): typeof fetch {
  const kept = { keepAlive: true, timeout: UNUSED_MS };
  const plain = { request, agent: new Agent(kept) };
  const secure = { request: secureRequest, agent: new SecureAgent(kept) };

  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const wire = url.protocol === "https:" ? secure : plain;
      const outgoing = wire.request(url, {
        agent: wire.agent,
        method: init.method ?? "GET",
        headers: Object.fromEntries(new Headers(init.headers)),
        timeout: limits.silenceMs,
        ...(init.signal && { signal: init.signal }),
      });
      let answering: IncomingMessage | undefined;
      outgoing.on("timeout", () =>
        (answering ?? outgoing).destroy(new Silence("nothing was heard for too long")),
      );
      outgoing.on("socket", (socket) => {
        if (!socket.connecting) return;
        const late = setTimeout(() => outgoing.destroy(timedOut(url)), limits.connectMs);
        const done = () => clearTimeout(late);
        socket.once(wire === secure ? "secureConnect" : "connect", done).once("close", done);
      });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        answering = incoming;
        try {
          resolve(responseOf(incoming));
        } catch (error) {
          incoming.destroy();
          reject(error as Error); // a status that no answer can have
        }
      });
      outgoing.end(init.body);
    });
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const { location } = incoming.headers;
  // Not followed: the key would go along to wherever it leads.
  if (status >= 300 && status < 400 && location !== undefined)
    throw new Error(
      `It says to ask ${location} instead (${status}); if that is right, it belongs into baseUrl.`,
    );
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  return new Response(bodyOf(incoming), { status, statusText: incoming.statusMessage ?? "", headers });
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      incoming.on("data", (chunk: Buffer) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once("end", () => controller.close());
      incoming.once("error", (error) => controller.error(error));
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.destroy();
    },
  });
}

function timedOut({ host }: URL): Error {
  return Object.assign(new Error(`no connection to ${host} in time`), { code: "ETIMEDOUT" });
}
