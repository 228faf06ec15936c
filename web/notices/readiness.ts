// Why the server can't take anything at the moment, such as a full disk. Asked for when a connection comes about and
// whenever a request is turned away for it, then again and again until it is over.
import { createSignal, type Accessor } from "solid-js";
import { problemOf } from "../../src/client/errors.ts";

export type Readiness = {
  /** Undefined while the server is ready, or not known not to be. */
  reason: Accessor<string | undefined>;
  check(): void;
  stop(): void;
};

const AGAIN_MS = 5_000;
const TRY_MS = 10_000;

export function createReadiness(ask: typeof fetch): Readiness {
  const [reason, setReason] = createSignal<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isStopped = false;

  async function check(): Promise<void> {
    if (isAsking || isStopped) return;
    isAsking = true;
    clearTimeout(timer);
    setReason(await reasonNow(ask, reason()));
    isAsking = false;
    if (reason() !== undefined && !isStopped) timer = setTimeout(() => void check(), AGAIN_MS);
  }
  return {
    reason,
    check: () => void check(),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function reasonNow(ask: typeof fetch, before: string | undefined): Promise<string | undefined> {
  try {
    const response = await ask("/readyz", { cache: "no-store", signal: AbortSignal.timeout(TRY_MS) });
    if (response.status === 503) return (await problemOf(response)).detail;
    await response.arrayBuffer(); // unread, it would hold its connection until the time is up
    return undefined;
  } catch {
    return before; // no answer says nothing about it; that the server is away is said elsewhere
  }
}
