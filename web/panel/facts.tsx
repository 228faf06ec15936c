// Where the session stands: who works in it and where, what it comes from and what came of it.
import { createMemo, createSignal, Show, type JSX } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { copyText } from "../copy.ts";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { agentOf } from "../session/agent-of.ts";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { shownTitle } from "../title.ts";

const ORIGINS = { fork: "forked from", task: "task of", delegation: "works for" } as const;

export function Facts(props: { session: string; view: View }) {
  const { profiles } = useDashboard();
  const meta = () => props.view.meta;
  const agent = createMemo(() => agentOf(meta(), profiles));
  return (
    <section aria-label="This session">
      <h3>This session</h3>
      <dl>
        <dt>id</dt>
        <dd>
          <Copyable text={props.session} />
        </dd>
        <dt>profile</dt>
        <dd>{meta().profile}</dd>
        <dt>model</dt>
        <dd>
          {agent().model ?? "as the profile says"}
          <Show when={agent().isDemo}>
            {" "}
            <span class="tag">demo</span>
          </Show>
        </dd>
        <Show when={agent().profile}>
          {(profile) => (
            <>
              <dt>sandbox</dt>
              <dd>{profile().sandboxed ? profile().sandbox : `none: ${profile().sandbox}`}</dd>
              <dt>approvals</dt>
              <dd>{profile().approvals}</dd>
            </>
          )}
        </Show>
        <dt>workspace</dt>
        <dd>
          <Show
            when={meta().workspace ?? agent().profile?.workspace}
            fallback={<span class="note">made with the first turn</span>}
          >
            {(workspace) => <Copyable text={workspace()} />}
          </Show>
        </dd>
        <dt>created</dt>
        <dd>{wholeTime(meta().createdAt)}</dd>
        <dt>messages</dt>
        <dd>{props.view.counts.messages.toLocaleString("en")}</dd>
        <dt>tool calls</dt>
        <dd>{props.view.counts.tools.toLocaleString("en")}</dd>
        <dt>position</dt>
        <dd>
          <code>{Number(props.view.position.split("_", 1).join()).toLocaleString("en")}</code>
        </dd>
        <Related when={meta().continues} name="goes on from" />
        <Related when={props.view.ended?.successor} name="goes on in" />
        <Show when={meta().origin}>
          {(origin) => <Related when={origin().session} name={ORIGINS[origin().kind]} />}
        </Show>
        <Show when={meta().origin?.kind !== "fork" && meta().continues === null && meta().forkedFrom}>
          {(from) => <Related when={from().session} name="forked from" />}
        </Show>
      </dl>
    </section>
  );
}

function Related(props: { when: string | null | undefined; name: string }): JSX.Element {
  const { list } = useDashboard();
  return (
    <Show when={props.when}>
      {(id) => (
        <>
          <dt>{props.name}</dt>
          <dd>
            <Link href={sessionPath(id())}>{shownTitle(list.row(id())?.title ?? id())}</Link>
          </dd>
        </>
      )}
    </Show>
  );
}

function Copyable(props: { text: string }) {
  const [isCopied, setCopied] = createSignal(false);
  return (
    <span class="copyable">
      <code title={props.text}>
        <bdi>{props.text}</bdi>
      </code>
      <button
        class="quiet"
        type="button"
        aria-label={isCopied() ? "Copied" : `Copy ${props.text}`}
        title={isCopied() ? "Copied" : "Copy"}
        onClick={() => void copyText(props.text).then(setCopied)}
      >
        <Icon name={isCopied() ? "check" : "copy"} />
      </button>
    </span>
  );
}
