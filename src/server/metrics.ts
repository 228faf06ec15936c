// What /metrics tells. Gauges are asked for when someone looks, so that keeping them costs nothing.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Store } from "../store/store.ts";
import type { OpenStreams, StreamKind } from "./open-streams.ts";

export type Metrics = {
  registry: Registry;
  /** Events that clients had appended through this server. */
  appended: Counter;
  requests: Histogram<"method" | "route" | "status">;
  /** Readers that were cut or resynced because they did not keep up. */
  slowReaders: Counter<"kind">;
  close(): void;
};

const KINDS: StreamKind[] = ["sse", "long_poll", "ws"];

export function makeMetrics(store: Store, streams: OpenStreams, followedLogs: () => number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Measured from the first look on: it takes 0.4 MB, and its timer would keep an idle machine awake for nobody.
  let lag: ReturnType<typeof monitorEventLoopDelay> | undefined;
  new Gauge({
    name: "holdfast_readers",
    help: "Connections that stay open, by kind",
    labelNames: ["kind"],
    registers,
    collect() {
      for (const kind of KINDS) this.set({ kind }, streams.count(kind));
    },
  });
  new Gauge({
    name: "holdfast_followed_logs",
    help: "Logs that someone follows live",
    registers,
    collect() {
      this.set(followedLogs());
    },
  });
  new Gauge({
    name: "holdfast_store_healthy",
    help: "1 while the store can commit",
    labelNames: ["dialect"],
    registers,
    collect() {
      this.set({ dialect: store.dialect }, store.health().ok ? 1 : 0);
    },
  });
  new Gauge({
    name: "holdfast_event_loop_lag_seconds",
    help: "How late the event loop was since the last look",
    labelNames: ["quantile"],
    registers,
    collect() {
      lag ??= monitorEventLoopDelay({ resolution: 20 });
      lag.enable();
      for (const quantile of [50, 99])
        this.set({ quantile: `0.${quantile}` }, lag.percentile(quantile) / 1e9);
      lag.reset();
    },
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of the server",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return {
    registry,
    appended: new Counter({
      name: "holdfast_appended_events_total",
      help: "Events appended for clients",
      registers,
    }),
    requests: new Histogram({
      name: "holdfast_http_request_duration_seconds",
      help: "Time until an answer was sent; streams are not in it",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers,
    }),
    slowReaders: new Counter({
      name: "holdfast_slow_readers_total",
      help: "Readers that did not keep up and were cut or resynced",
      labelNames: ["kind"],
      registers,
    }),
    close: () => void lag?.disable(),
  };
}
