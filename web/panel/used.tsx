// What the session has used: its context now, tokens and money in all, and turn by turn as far as the page goes back.
import { createMemo, For, Show } from "solid-js";
import type { Message, View } from "../../src/session/view.ts";
import { agentOf } from "../session/agent-of.ts";
import { ContextMeter } from "../session/context-meter.tsx";
import { contextUse } from "../session/context-use.ts";
import { shortNumber, usageWords } from "../session/usage-words.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";
import { between, clockTime } from "../time-words.ts";

type TurnEnd = Extract<Message, { kind: "turn_end" }>;

const TURNS_MAX = 20;

export function Used(props: { followed: Followed; view: View }) {
  const { profiles } = useDashboard();
  const agent = createMemo(() => agentOf(props.view.meta, profiles));
  const use = createMemo(() => contextUse(props.view, agent().profile?.contextTokens));
  const usage = () => props.view.usage;
  const turns = createMemo(() =>
    props.followed.session.messages
      .filter((message): message is TurnEnd => message.kind === "turn_end")
      .slice(-TURNS_MAX)
      .toReversed(),
  );
  return (
    <section aria-label="Context and usage">
      <h3>Context and usage</h3>
      <dl>
        <dt>context</dt>
        <dd>
          <ContextMeter use={use()} />
        </dd>
        <Show when={use()}>
          {(known) => (
            <>
              <dt>tokens in context</dt>
              <dd>
                {shortNumber(known().tokens)} of {shortNumber(known().of)}
              </dd>
            </>
          )}
        </Show>
        <dt>tokens in</dt>
        <dd>{usage().inputTokens.toLocaleString("en")}</dd>
        <Show when={usage().cachedTokens}>
          {(cached) => (
            <>
              <dt>of these cached</dt>
              <dd>{cached().toLocaleString("en")}</dd>
            </>
          )}
        </Show>
        <dt>tokens out</dt>
        <dd>{usage().outputTokens.toLocaleString("en")}</dd>
        <dt>cost</dt>
        <dd>
          <Show when={usage().cost !== undefined} fallback={<span class="note">no price is known</span>}>
            ${(usage().cost ?? 0).toFixed(4)}
          </Show>
        </dd>
        <Show when={usage().cost !== undefined && usage().unpricedTokens}>
          {(unpriced) => (
            <>
              <dt>tokens without a price</dt>
              <dd>{unpriced().toLocaleString("en")}</dd>
            </>
          )}
        </Show>
      </dl>
      <Show when={turns().length > 0}>
        <details>
          <summary>By turn</summary>
          <ul>
            <For each={turns()}>{(turn) => <Turn turn={turn} />}</For>
          </ul>
        </details>
      </Show>
    </section>
  );
}

function Turn(props: { turn: TurnEnd }) {
  const { now } = useDashboard();
  const tokens = () => props.turn.usage.inputTokens + props.turn.usage.outputTokens;
  return (
    <li class="turn">
      <time>{clockTime(props.turn.at, now())}</time>
      <span>{props.turn.outcome}</span>
      <span>{props.turn.startedAt === null ? "" : between(props.turn.startedAt, props.turn.at)}</span>
      <span>{tokens() > 0 ? usageWords(props.turn.usage) : "no tokens"}</span>
    </li>
  );
}
