// One period: its sums, its days, and what they went to. What is used while one looks is there a moment later.
import { createMemo, onCleanup, onMount, Show } from "solid-js";
import type { UsageItem, UsageReport } from "../../src/client/commands.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { money, shortNumber } from "../session/usage-words.ts";
import { createLoaded } from "../loaded.ts";
import { Arrived } from "../section.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { shownTitle } from "../title.ts";
import { Breakdown } from "./breakdown.tsx";
import { DayBars, type Day } from "./day-bars.tsx";
import { daysUntil, type Range } from "./days.ts";
import { sumWords } from "./sum-words.ts";

/** Rows change with every step of every session. */
const RELOAD_MS = 3_000;

export function Period(props: { days: Range }) {
  const { client, list } = useDashboard();
  const days = () => daysUntil(Date.now(), props.days);
  const since = () => days()[0] ?? "";
  const loaded = createLoaded(async (signal) => {
    const shown = days();
    const report = await client.usage({ by: "day", since: since(), limit: props.days }, signal);
    return { report, shown };
  });
  const reloads = new Set<() => void>([() => void loaded.reload()]);
  const whenUsed = (reload: () => void) => {
    reloads.add(reload);
    return () => reloads.delete(reload);
  };
  onMount(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = list.onRows(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const reload of reloads) reload();
      }, RELOAD_MS);
    });
    onCleanup(() => {
      stop();
      clearTimeout(timer);
    });
  });

  return (
    <>
      <Arrived loaded={loaded}>{(value) => <Days report={value().report} shown={value().shown} />}</Arrived>
      <Breakdown
        by="model"
        title="By model"
        since={since}
        name={({ model }) => model ?? "unknown model"}
        whenUsed={whenUsed}
      />
      <Breakdown
        by="profile"
        title="By profile"
        since={since}
        name={({ profile }) => profile}
        whenUsed={whenUsed}
      />
      <Breakdown by="session" title="By session" since={since} name={sessionName} whenUsed={whenUsed} />
    </>
  );
}

function Days(props: { report: UsageReport; shown: readonly string[] }) {
  const byDay = createMemo(() => new Map(props.report.items.map((item) => [item.day, item])));
  const total = () => props.report.total;
  const barsOf = (parts: (item: UsageItem | undefined) => number[]) =>
    props.shown.map((day): Day => {
      const item = byDay().get(day);
      return { day, parts: parts(item), words: item ? sumWords(item) : "nothing" };
    });
  return (
    <>
      <dl class="sums" aria-label="In all">
        <Sum name="tokens in" value={shortNumber(total().inputTokens)} />
        <Show when={total().cachedTokens > 0}>
          <Sum name="of these cached" value={shortNumber(total().cachedTokens)} />
        </Show>
        <Sum name="tokens out" value={shortNumber(total().outputTokens)} />
        <Sum name="steps" value={shortNumber(total().steps)} />
        <Sum name="cost" value={costWords(total())} />
        <Show when={total().cost !== null && total().unpricedTokens > 0}>
          <Sum name="unpriced tokens" value={shortNumber(total().unpricedTokens)} />
        </Show>
      </dl>
      <Show when={props.report.uncounted > 0}>
        <p class="note" role="status">
          {props.report.uncounted} sessions from before are still being counted.
        </p>
      </Show>
      <DayBars
        title="Tokens by day"
        parts={["in", "out"]}
        scale={shortNumber}
        days={barsOf((item) => [item?.inputTokens ?? 0, item?.outputTokens ?? 0])}
      />
      <Show when={(total().cost ?? 0) > 0}>
        <DayBars title="Cost by day" scale={money} days={barsOf((item) => [item?.cost ?? 0])} />
      </Show>
      <p class="note">Days are in UTC. Models without a price add tokens, and never a cost.</p>
    </>
  );
}

function Sum(props: { name: string; value: string }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

function costWords({ cost, steps }: UsageReport["total"]): string {
  if (steps === 0) return "–";
  return cost === null ? "no price is known" : money(cost);
}

function sessionName({ session = "", title = null, deleted = false }: UsageItem) {
  return (
    <Show when={!deleted} fallback={<span class="note">a deleted session</span>}>
      <Link href={sessionPath(session)}>{shownTitle(title)}</Link>
    </Show>
  );
}
