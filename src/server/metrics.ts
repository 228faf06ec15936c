// What /metrics tells.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Store } from "../store/store.ts";
import type { OpenStreams, StreamKind } from "./open-streams.ts";
import { Counter, exposition, gauge, Histogram } from "./tally.ts";

export type Metrics = {
  /** Events that clients had appended through this server. */
  appended: Counter;
  /** By method, route and status. */
  requests: Histogram;
  /** Readers that were cut or resynced because they did not keep up, by kind. */
  slowReaders: Counter;
  text(): string;
  close(): void;
};

const KINDS: StreamKind[] = ["sse", "long_poll", "ws"];
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

export function makeMetrics(store: Store, streams: OpenStreams, followedLogs: () => number): Metrics {
  // Measured from the first look on: it takes 0.4 MB, and its timer would keep an idle machine awake for nobody.
  let lag: ReturnType<typeof monitorEventLoopDelay> | undefined;
  const gauges = [
    gauge("holdfast_readers", "Connections that stay open, by kind", () =>
      KINDS.map((kind) => [{ kind }, streams.count(kind)]),
    ),
    gauge("holdfast_followed_logs", "Logs that someone follows live", followedLogs),
    gauge("holdfast_store_healthy", "1 while the store can commit", () => [
      [{ dialect: store.dialect }, store.health().ok ? 1 : 0],
    ]),
    gauge("holdfast_event_loop_lag_seconds", "How late the event loop was since the last look", () => {
      lag ??= monitorEventLoopDelay({ resolution: 20 });
      lag.enable();
      const late = [50, 99].map((quantile) => lag?.percentile(quantile) ?? 0);
      lag.reset();
      return late.map((nanoseconds, at) => [{ quantile: at === 0 ? "0.50" : "0.99" }, nanoseconds / 1e9]);
    }),
    gauge("process_resident_memory_bytes", "Resident memory of the server", () => process.memoryUsage.rss()),
  ];
  const appended = new Counter("holdfast_appended_events_total", "Events appended for clients");
  const requests = new Histogram(
    "holdfast_http_request_duration_seconds",
    "Time until an answer was sent; streams are not in it",
    SECONDS,
  );
  const slowReaders = new Counter(
    "holdfast_slow_readers_total",
    "Readers that did not keep up and were cut or resynced",
    { isLabelled: true },
  );
  return {
    appended,
    requests,
    slowReaders,
    text: () => exposition([...gauges, appended, requests, slowReaders]),
    close: () => void lag?.disable(),
  };
}
