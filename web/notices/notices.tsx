// What everyone should know, whatever page is open: above it, and never over it.
import { Show, type JSX } from "solid-js";
import { Icon, type IconName } from "../icon.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { clockTime } from "../time-words.ts";
import { createNotices } from "./state.ts";

export function Notices() {
  const dashboard = useDashboard();
  const notices = createNotices(dashboard);
  const { now } = dashboard;
  return (
    <div class="notices" role="region" aria-label="Notices" aria-live="polite">
      <Show when={notices.awaySince()}>
        {(since) => (
          <Notice tone="warn" icon="warning">
            {notices.isOnline() ? "The server can't be reached." : "This device is offline."} What you see is
            from {clockTime(new Date(since()).toISOString(), now())}; what you type is kept.
          </Notice>
        )}
      </Show>
      <Show when={notices.awaySince() === undefined && notices.notReady()}>
        {(reason) => (
          <Notice tone="bad" icon="warning">
            The server can't take anything in: {withStop(reason())} Reading goes on, and what you type is
            kept.
          </Notice>
        )}
      </Show>
      <Show when={notices.otherStore()}>
        <Notice tone="warn" icon="warning" act="Close" onAct={() => notices.closeOtherStore()}>
          The server has another store than before: perhaps a backup was restored. What you see is what is
          there now; what you typed is kept.
        </Notice>
      </Show>
      <Show when={notices.isOld()}>
        <Notice tone="news" icon="arrowDown" act="Reload" onAct={() => location.reload()}>
          A new version is running. Reload when it suits you: nothing that you typed is lost.
        </Notice>
      </Show>
    </div>
  );
}

function Notice(props: {
  tone: "news" | "warn" | "bad";
  icon: IconName;
  act?: string;
  onAct?: () => void;
  children: JSX.Element;
}) {
  return (
    <div class={`notice ${props.tone}`}>
      <Icon name={props.icon} />
      <p>{props.children}</p>
      <Show when={props.act}>
        <button type="button" onClick={() => props.onAct?.()}>
          {props.act}
        </button>
      </Show>
    </div>
  );
}

/** Reasons come from the store as it says them, some with a full stop and some without. */
function withStop(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
