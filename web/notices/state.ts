// What is the matter with the connection to the server, beyond what the pill says.
import { createEffect, createMemo, createSignal, on, onCleanup, type Accessor } from "solid-js";
import type { Connection, Hello } from "../../src/client/connection.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { createReadiness } from "./readiness.ts";
import { turnedAway } from "./turned-away.ts";

export type Notices = {
  /** Another version is running, or a part of this one is gone. */
  isOld: Accessor<boolean>;
  otherStore: Accessor<boolean>;
  closeOtherStore(): void;
  notReady: Accessor<string | undefined>;
  /** Since when nothing came, once it is long enough to matter. */
  awaySince: Accessor<number | undefined>;
  /** Whether the device itself has a network. */
  isOnline: Accessor<boolean>;
};

/** Shorter gaps are the pill's affair. */
const AWAY_MS = 4_000;

export function createNotices({ connection, now }: Pick<Dashboard, "connection" | "now">): Notices {
  const [isOld, setOld] = createSignal(false);
  const [otherStore, setOtherStore] = createSignal(false);
  const [lostAt, setLostAt] = createSignal<number>();
  const readiness = createReadiness((path, init) => fetch(path, init));
  onCleanup(() => readiness.stop());

  /** The server that this page came from, and the one whose store is on screen. */
  let first: Hello | undefined;
  let last: Hello | undefined;
  createEffect(
    on(connection, (next: Connection) => {
      if (next.state !== "connected") return void setLostAt((since) => since ?? Date.now());
      setLostAt(undefined);
      const { hello } = next;
      first ??= hello;
      if (hello.person !== first.person) location.reload(); // what is on screen is another person's
      setOld(hello.version !== first.version);
      if (last && last.store !== hello.store) setOtherStore(true);
      last = hello;
      readiness.check();
    }),
  );
  createEffect(on(turnedAway, () => readiness.check(), { defer: true }));
  const [isOnline, setOnline] = createSignal(navigator.onLine);
  const look = () => setOnline(navigator.onLine);
  const missesPart = () => setOld(true); // the server no longer has a file of the version that this page is
  const left = new AbortController();
  for (const name of ["online", "offline"]) addEventListener(name, look, { signal: left.signal });
  addEventListener("vite:preloadError", missesPart, { signal: left.signal });
  onCleanup(() => left.abort());

  return {
    isOld,
    otherStore,
    closeOtherStore: () => setOtherStore(false),
    notReady: readiness.reason,
    isOnline,
    awaySince: createMemo(() => {
      const since = lostAt();
      return since !== undefined && now() - since >= AWAY_MS ? since : undefined;
    }),
  };
}
