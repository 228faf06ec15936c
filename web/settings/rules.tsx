// What was allowed for good, by the exact pattern that decides.
import { For, Show } from "solid-js";
import type { RuleInfo } from "../../src/client/commands.ts";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { createLoaded } from "../loaded.ts";
import { Arrived, Section } from "../section.tsx";
import { TakeBack } from "./take-back.tsx";

export function Rules() {
  const { client } = useDashboard();
  const loaded = createLoaded((signal) => client.rules(signal));
  return (
    <Section
      id="rules"
      title="Rules"
      about="What was allowed for good, with “Always”. Taken back, it is asked for again."
    >
      <Arrived loaded={loaded}>
        {(rules) => (
          <ul class="things rules">
            <For each={rules()} fallback={<li class="note">Nothing is allowed for good.</li>}>
              {(rule) => <Rule rule={rule} removed={loaded.reload} />}
            </For>
          </ul>
        )}
      </Arrived>
    </Section>
  );
}

function Rule(props: { rule: RuleInfo; removed: () => Promise<void> }) {
  const { client, ageOf } = useDashboard();
  const isExact = () => props.rule.match.startsWith("sha256:");
  return (
    <li>
      <span class="name">
        <span class="tag">{props.rule.tool}</span> {props.rule.decision === "deny" ? "never " : ""}
        <code>{props.rule.shown ?? props.rule.match}</code>
      </span>
      <span class="when" title={wholeTime(props.rule.createdAt)}>
        {props.rule.profile} · {ageOf(props.rule.createdAt)}
      </span>
      <TakeBack
        verb="Take back"
        what={props.rule.shown ?? props.rule.match}
        run={async () => {
          await client.removeRule(props.rule.id);
          await props.removed();
        }}
      />
      <Show when={isExact() || props.rule.shown !== null}>
        <span class="detail">
          {isExact() ? "This call only, in its own directory: " : "Pattern: "}
          <code>{props.rule.match}</code>
        </span>
      </Show>
    </li>
  );
}
