// One pill: connected, reconnecting in n s, offline.
import { createMemo, Show } from "solid-js";
import type { Connection } from "../src/client/connection.ts";
import { useDashboard } from "./state/dashboard.ts";

export function ConnectionPill() {
  const { connection, now, reconnect } = useDashboard();
  const words = createMemo(() => connectionWords(connection(), now()));
  const isUp = () => connection().state === "connected";
  /** While an attempt is being made there is nothing to hurry. */
  const isWaiting = () => connection().state === "reconnecting" || connection().state === "offline";
  return (
    <span class="pill connection" data-state={connection().state}>
      <span class="dot" aria-hidden="true" />
      <span>{words()}</span>
      <Show when={isWaiting()}>
        <button type="button" onClick={() => reconnect()}>
          Try now
        </button>
      </Show>
      {/* Apart from the countdown, which nobody wants read out second by second. */}
      <span class="unseen" role="status">
        {isUp() ? "" : "Connection lost, reconnecting"}
      </span>
    </span>
  );
}

export function connectionWords(connection: Connection, now: number): string {
  switch (connection.state) {
    case "connected":
      return "connected";
    case "connecting":
      return connection.failures === 0 ? "connecting" : "reconnecting";
    case "reconnecting": {
      const seconds = Math.ceil((connection.retryAt - now) / 1000);
      return seconds > 0 ? `reconnecting in ${seconds} s` : "reconnecting";
    }
    case "offline":
      return "offline";
    case "refused":
      return "not logged in";
    case "closed":
      return "closed";
  }
}
