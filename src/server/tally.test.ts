import { expect, test } from "vitest";
import { Counter, exposition, gauge, Histogram } from "./tally.ts";

test("counters, gauges and histograms are told in the words that Prometheus reads", () => {
  const asked = new Counter("asked_total", "Questions");
  const slow = new Counter("slow_total", "Slow ones, by kind", { isLabelled: true });
  const took = new Histogram("took_seconds", "How long it took", [0.1, 1]);
  const open = gauge("open", "What is open", () => [[{ kind: "a" }, 2]]);
  const quiet = exposition([asked, slow]);
  expect(quiet).toBe(
    "# HELP asked_total Questions\n# TYPE asked_total counter\nasked_total 0\n\n" +
      "# HELP slow_total Slow ones, by kind\n# TYPE slow_total counter\n",
  );
  asked.add(3);
  slow.add(1, { kind: "sse" });
  slow.add(1, { kind: "ws" });
  slow.add(2, { kind: "sse" });
  for (const seconds of [0.05, 0.1, 0.5, 7]) took.observe(seconds, { route: "/x" });
  expect(
    exposition([asked, slow, took, open])
      .split("\n")
      .filter((line) => !line.startsWith("#")),
  ).toEqual([
    "asked_total 3",
    "",
    'slow_total{kind="sse"} 3',
    'slow_total{kind="ws"} 1',
    "",
    'took_seconds_bucket{route="/x",le="0.1"} 2',
    'took_seconds_bucket{route="/x",le="1"} 3',
    'took_seconds_bucket{route="/x",le="+Inf"} 4',
    'took_seconds_sum{route="/x"} 7.65',
    'took_seconds_count{route="/x"} 4',
    "",
    'open{kind="a"} 2',
    "",
  ]);
});

test("what stands in a label can't end it", () => {
  const odd = new Counter("odd_total", "Odd", { isLabelled: true });
  odd.add(1, { path: 'a"b\\c\nd' });
  expect(exposition([odd])).toContain(String.raw`odd_total{path="a\"b\\c\nd"} 1`);
});
