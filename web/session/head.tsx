// The top of a session: what it is called, what it does just now and how to stop that, and what it has used.
import { createMemo, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { createAttempt } from "../attempt.ts";
import { ConnectionPill } from "../connection-pill.tsx";
import { Icon } from "../icon.tsx";
import { StatusMark } from "../mark.tsx";
import { isNarrow } from "../media.ts";
import type { MenuItem } from "../menu.tsx";
import { BackLink } from "../page-head.tsx";
import { openPalette } from "../palette/open.ts";
import { closePanel, isPanelOpen, openPanel } from "../panel/open.ts";
import { SessionMenu } from "../sessions/menu.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { markOf, standingOf, statusWords } from "../status-words.ts";
import { asOf, duration } from "../time-words.ts";
import { agentOf } from "./agent-of.ts";
import { ContextMeter } from "./context-meter.tsx";
import { contextUse } from "./context-use.ts";
import { HeadTitle } from "./head-title.tsx";
import { printWhole } from "./print.ts";
import { useSession } from "./session-context.ts";
import { usageWords } from "./usage-words.ts";

export function PaneHead(props: { id: string; view: View }) {
  const { session } = useSession();
  const print: MenuItem = { label: "Print", icon: "print", run: () => void printWhole(session) };
  return (
    <header class="head">
      <BackLink href="/" label="All sessions" />
      <div class="about">
        <HeadTitle id={props.id} title={props.view.meta.title} />
        <Status view={props.view} />
      </div>
      <Show when={props.view.turn}>{(turn) => <Stop id={props.id} isAsked={turn().stopRequested} />}</Show>
      <span class="grow" />
      <Use view={props.view} />
      <ConnectionPill />
      <PanelButton running={props.view.processes.length} />
      <SessionMenu id={props.id} first={[...(isNarrow() ? [FIND] : []), print]} />
    </header>
  );
}

/** Where the list is out of sight, so is its way to the palette; and a phone has no Ctrl+K. */
const FIND: MenuItem = { label: "Search or jump to…", icon: "search", run: () => openPalette() };

function Status(props: { view: View }) {
  const { heard, lostAt, now, profiles } = useDashboard();
  const isDemo = createMemo(() => agentOf(props.view.meta, profiles).isDemo);
  const lost = createMemo(() => {
    const at = lostAt();
    return at === null ? undefined : `connection lost · ${asOf(at, now())}: `;
  });
  const standing = createMemo(() => standingOf(props.view));
  /** Apart from the status, which is read out: nobody wants to hear the seconds pass. */
  const elapsed = createMemo(() => {
    const { turn } = props.view;
    // Given up, no time passes for it; unheard of, nobody knows whether it still runs.
    if (turn === null || props.view.failed || lostAt() !== null) return "";
    return duration(1000 * Math.floor((heard() - Date.parse(turn.startedAt)) / 1000));
  });
  return (
    <span class="pill">
      <span class="status" role="status">
        <StatusMark mark={lost() === undefined ? markOf({ ...standing(), unread: 0 }) : "none"} />
        <span class="words">
          {lost()}
          {statusWords(standing(), now())}
        </span>
      </span>
      <Show when={elapsed()}>
        <span class="elapsed">{elapsed()}</span>
      </Show>
      <Show when={isDemo()}>
        <span class="tag" title="A script answers in place of a model. Its tools are real.">
          demo
        </span>
      </Show>
    </span>
  );
}

/** What it works with and has used; on a phone the side panel says it. */
function Use(props: { view: View }) {
  const { profiles } = useDashboard();
  const agent = createMemo(() => agentOf(props.view.meta, profiles));
  const use = createMemo(() => contextUse(props.view, agent().profile?.contextTokens));
  const hasUsed = () => props.view.usage.inputTokens + props.view.usage.outputTokens > 0;
  return (
    <>
      <Show when={agent().profile?.sandboxed === false}>
        <span class="tag unsafe wide" title={`Commands run without a sandbox: ${agent().profile?.sandbox}`}>
          no sandbox
        </span>
      </Show>
      <Show when={use()}>
        {(known) => (
          <span class="pill wide">
            context <ContextMeter use={known()} />
          </span>
        )}
      </Show>
      <Show when={hasUsed()}>
        <span class="pill wide">{usageWords(props.view.usage)}</span>
      </Show>
    </>
  );
}

/** Ends the turn; its words stay. Leaving is another thing: it does nothing at all. */
function Stop(props: { id: string; isAsked: boolean }) {
  const { client } = useDashboard();
  const stopping = createAttempt();
  const isUnderWay = () => props.isAsked || stopping.isBusy();
  return (
    <>
      <button
        class="stop"
        type="button"
        aria-label={isUnderWay() ? "Stopping the turn" : "Stop the turn"}
        title={isUnderWay() ? "Stopping the turn" : "Stop the turn"}
        disabled={isUnderWay()}
        onClick={() => void stopping.run(() => client.stop(props.id))}
      >
        <Icon name="stop" />
        <span class="wide">{isUnderWay() ? "Stopping…" : "Stop"}</span>
      </button>
      <Show when={stopping.failure()}>
        <span class="failure" role="alert">
          {stopping.failure()}
        </span>
      </Show>
    </>
  );
}

function PanelButton(props: { running: number }) {
  const words = () => {
    if (props.running === 0) return "About this session";
    return `About this session: ${props.running === 1 ? "a process runs" : `${props.running} processes run`}`;
  };
  return (
    <button
      class="quiet sign"
      type="button"
      aria-label={words()}
      title={words()}
      aria-expanded={isPanelOpen()}
      onClick={() => (isPanelOpen() ? closePanel() : openPanel())}
    >
      <Icon name="panel" />
      <Show when={props.running > 0}>
        <span class="count" aria-hidden="true">
          {props.running}
        </span>
      </Show>
    </button>
  );
}
