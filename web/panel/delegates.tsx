// To whom the session gave work: each is a session of its own.
import { createMemo, For, Show } from "solid-js";
import type { ToolPart, View } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { StatusMark } from "../mark.tsx";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";
import { markOf, statusWords } from "../status-words.ts";
import { shownTitle } from "../title.ts";

type Given = { session: string; call: ToolPart | undefined };

export function Delegates(props: { followed: Followed; view: View }) {
  /** Those that work now, and those whose call is as far back as the page goes; the newest first. */
  const given = createMemo(() => {
    const calls = new Map<string, ToolPart | undefined>();
    for (const message of props.followed.session.messages)
      for (const part of message.kind === "step" ? message.parts : [])
        if (part.kind === "tool" && part.delegate !== null) calls.set(part.delegate, part);
    for (const { session } of props.view.delegates) calls.set(session, calls.get(session));
    return [...calls].map(([session, call]): Given => ({ session, call })).toReversed();
  });
  return (
    <Show when={given().length > 0}>
      <section aria-label="Delegates">
        <h3>Delegates</h3>
        <ul>
          <For each={given()}>
            {(each) => (
              <Delegate
                given={each}
                isAtWork={props.view.delegates.some(({ session }) => session === each.session)}
              />
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}

function Delegate(props: { given: Given; isAtWork: boolean }) {
  const { list, now } = useDashboard();
  /** Only those at work are in the list. */
  const row = () => (props.isAtWork ? list.row(props.given.session) : undefined);
  const standing = () => row() ?? (props.isAtWork ? WORKING : undefined);
  const title = () => row()?.title ?? promptOf(props.given.call);
  return (
    <li class="delegate">
      <StatusMark mark={markOf(standing() ?? DONE)} />
      <Link href={sessionPath(props.given.session)}>{shownTitle(title() ?? props.given.session)}</Link>
      <span class="note">
        <Show when={standing()} fallback={outcomeOf(props.given.call)}>
          {(known) => statusWords(known(), now())}
        </Show>
      </span>
    </li>
  );
}

/** What it was asked to do, as the call's arguments have it. */
export function promptOf(call: ToolPart | undefined): string | undefined {
  const args = call?.args;
  if (typeof args !== "object" || args === null || !("prompt" in args)) return undefined;
  return typeof args.prompt === "string" ? args.prompt : undefined;
}

function outcomeOf(call: ToolPart | undefined): string {
  return call?.status === "ok" ? "done" : (call?.status ?? "done");
}

const WORKING = { status: "running", attention: null, queued: 0, retryAt: null, unread: 0 } as const;
const DONE = { ...WORKING, status: "idle" } as const;
