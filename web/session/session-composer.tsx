// The composer of a session that is there: what Enter does depends on what goes on in it.
import { createMemo, Show } from "solid-js";
import type { View } from "../../src/session/view.ts";
import { createAttempt } from "../attempt.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";
import { agentOf } from "./agent-of.ts";
import { createCommands } from "./commands.ts";
import { Composer } from "./composer.tsx";
import { ModelChoice } from "./composer-model.tsx";
import { whatEnterDoes } from "./enter.ts";
import { ToldCard } from "./told.tsx";

export function SessionComposer(props: { followed: Followed; view: View }) {
  const { answering, client, list, profiles } = useDashboard();
  const agent = createMemo(() => agentOf(props.view.meta, profiles));
  const stopping = createAttempt();
  const outbox = () => props.followed.outbox;
  const enter = createMemo(() => {
    const { way, files, begun, asked, sending } = outbox();
    const onCards = props.view.asks.map(({ ask }) => ask).filter((ask) => answering(ask).isSending);
    const answered = [...sending.map(({ answers }) => answers), ...onCards];
    return whatEnterDoes(props.view, { way, hasFiles: files.list.length > 0, begun, asked, answered });
  });
  const commands = createCommands(() => ({
    client,
    list,
    outbox: outbox(),
    session: props.followed.id,
    view: props.view,
  }));
  const stop = () => {
    const { turn } = props.view;
    if (turn === null) return undefined;
    const isAsked = turn.stopRequested || stopping.isBusy();
    return { isAsked, run: () => void stopping.run(() => client.stop(props.followed.id)) };
  };
  return (
    <>
      <Show when={stopping.failure()}>
        <p class="failure" role="alert">
          Not stopped: {stopping.failure()}
        </p>
      </Show>
      <Show when={commands.told()}>
        {(told) => <ToldCard told={told()} close={() => commands.forget()} />}
      </Show>
      <Composer
        outbox={outbox()}
        enter={enter()}
        stop={stop()}
        commands={commands}
        bar={
          <ModelChoice
            model={agent().model}
            own={agent().profile?.model ?? null}
            isDemo={agent().isDemo}
            choose={(model) => client.patchSession(props.followed.id, { model })}
          />
        }
      />
    </>
  );
}
