// What there is to judge: the exact bytes that would run, where, with what else, and why.
import { createMemo, For, Show } from "solid-js";
import { useDashboard } from "../state/dashboard.ts";
import { givenTo, type AskedCall } from "./asked-call.ts";
import { PlainText } from "./plain-text.tsx";
import type { ShownAsk } from "./shown-ask.ts";

/** Longer than this it scrolls within the card, so it says how long it is. */
const LINES_SEEN = 16;
/** Up to this it stands beside its name. */
const SHORT_CHARS = 60;

export function AskSubject(props: {
  ask: ShownAsk;
  call: AskedCall | undefined;
  heading: string;
  withWhy: boolean;
}) {
  const given = createMemo(() => (props.ask.kind === "approval" ? givenTo(props.ask, props.call) : []));
  return (
    <>
      <p class="heading">
        <b>{props.heading}</b>
        <Show when={props.ask.kind === "approval" && props.call}>
          {(call) => (
            <span class="tag">
              <PlainText text={call().tool} />
            </span>
          )}
        </Show>
      </p>
      <Show when={props.withWhy && props.call?.why}>
        {(why) => (
          <p class="why">
            <PlainText text={why()} />
          </p>
        )}
      </Show>
      <Show
        when={props.ask.command}
        fallback={
          <Show when={given().length === 0}>
            <p class="text">
              <PlainText text={props.ask.title} />
            </p>
          </Show>
        }
      >
        {(command) => <Bytes label="Command" text={command()} />}
      </Show>
      <For each={given()}>
        {([name, value]) => (
          <div class="given" classList={{ short: isShort(value) }}>
            <span class="note">
              <PlainText text={name} />
            </span>
            <Show when={isShort(value)} fallback={<Bytes label={name} text={value} />}>
              <code>
                <PlainText text={value} />
              </code>
            </Show>
          </div>
        )}
      </For>
      <Show when={props.ask.kind === "approval"}>
        <Place ask={props.ask} call={props.call} />
      </Show>
    </>
  );
}

function isShort(value: string): boolean {
  return value.length <= SHORT_CHARS && !value.includes("\n");
}

function Bytes(props: { label: string; text: string }) {
  const lines = () => props.text.split("\n").length;
  return (
    <>
      {/* A tab stop only where there is something to scroll. */}
      <pre aria-label={props.label} tabindex={lines() > LINES_SEEN ? 0 : undefined}>
        <PlainText text={props.text} />
      </pre>
      <Show when={lines() > LINES_SEEN}>
        <p class="note">{lines().toLocaleString("en")} lines; scroll to read all of them.</p>
      </Show>
    </>
  );
}

/** Where it would run, how freely, and what a lasting yes would save. */
function Place(props: { ask: ShownAsk; call: AskedCall | undefined }) {
  const { profiles } = useDashboard();
  const sandbox = () => {
    const known = props.ask.command === null || !props.call ? undefined : profiles.named(props.call.profile);
    if (!known) return "";
    return known.sandboxed ? "sandboxed" : "not sandboxed";
  };
  const tool = () => props.call?.tool ?? props.ask.title.split(":", 1).join();
  return (
    <p class="note place">
      <Show when={props.ask.cwd}>
        {(cwd) => (
          <>
            in{" "}
            <code>
              <PlainText text={cwd()} />
            </code>
          </>
        )}
      </Show>
      <Show when={sandbox()}> · {sandbox()}</Show>
      <Show when={props.ask.digest}>
        {(digest) => (
          <span class="rule">
            Always saves a rule for exactly this: <PlainText text={tool()} />, these arguments
            {props.ask.cwd ? ", this directory" : ""} (
            <code title={`sha256:${digest()}`}>sha256:{digest().slice(0, 12)}…</code>). In this session does
            the same, here only.
          </span>
        )}
      </Show>
    </p>
  );
}
