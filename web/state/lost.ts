// The server is away: what is on the page stands still, as it was known last.
import { createMemo, type Accessor } from "solid-js";
import type { Connection } from "../../src/client/connection.ts";

/** A blink is over before anybody has read of it. */
const BLINK_MS = 1_000;

export type Lost = {
  /** When the server was heard last, while it is away; null: it is there. */
  lostAt: Accessor<number | null>;
  /** The present, as far as the server was heard. */
  heard: Accessor<number>;
};

export function createLost(connection: Accessor<Connection>, now: Accessor<number>): Lost {
  const cutAt = createMemo<number | null>(
    (before) => (connection().state === "connected" ? null : (before ?? Date.now())),
    null,
  );
  const lostAt = createMemo(() => {
    const at = cutAt();
    return at === null || now() - at < BLINK_MS ? null : at;
  });
  return { lostAt, heard: createMemo(() => cutAt() ?? now()) };
}
