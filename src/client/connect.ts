// The socket of a client, with what browsers and Node have for it.
import type { Client } from "./commands.ts";
import { ProblemError, Unreachable } from "./errors.ts";
import { request } from "./request.ts";
import { Socket, type RawSocket } from "./socket.ts";

export function connect({ transport }: Client): Socket {
  const socket = new Socket({
    open: () => openWebSocket(transport.url, transport.token),
    refusal: () => refusal(transport),
    clock: transport.clock,
    chance: transport.chance,
    online: () => page.navigator?.onLine ?? true,
  });
  const closed = new AbortController();
  const { signal } = closed;
  for (const name of ["online", "focus", "pageshow"])
    page.addEventListener?.(name, () => socket.retryNow(), { signal });
  page.document?.addEventListener("visibilitychange", () => socket.retryNow(), { signal });
  socket.onConnection(({ state }) => {
    if (state === "closed") closed.abort();
  });
  return socket;
}

/** What a page has and Node has not. */
const page = globalThis as unknown as {
  navigator?: { onLine?: boolean };
  location?: { href: string };
  addEventListener?: Listen;
  document?: { addEventListener: Listen };
};

type Listen = (name: string, run: () => void, options: { signal: AbortSignal }) => void;

function openWebSocket(base: string, token: string | undefined): RawSocket {
  const url = new URL("/api/ws", base || page.location?.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  if (token === undefined) return new WebSocket(url) as unknown as RawSocket;
  // Node's own takes headers where a browser's takes protocols; a browser never has a token here.
  const options = { headers: { authorization: `Bearer ${token}` } } as unknown as string[];
  return new WebSocket(url, options) as unknown as RawSocket;
}

const REFUSED: ReadonlySet<number> = new Set([401, 403, 421]);

async function refusal(transport: Client["transport"]) {
  const once = { ...transport, patienceMs: 0 };
  try {
    await request(once, { method: "GET", path: "/api/me" }, (response) => response.arrayBuffer());
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return REFUSED.has(error.status) ? error.problem : undefined;
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}
