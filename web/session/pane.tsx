// One session: its head, its transcript, what waits, and the composer.
import { createMemo, createSignal, Match, Show, Switch } from "solid-js";
import { nameSubject } from "../document-title.ts";
import { PageHead } from "../page-head.tsx";
import { SidePanel } from "../panel/panel.tsx";
import { route } from "../route.ts";
import { useDashboard } from "../state/dashboard.ts";
import type { Followed } from "../state/followed.ts";
import type { View } from "../../src/session/view.ts";
import { shownTitle } from "../title.ts";
import { UnknownSession } from "../unknown.tsx";
import { Announcer } from "./announcer.tsx";
import { DropFiles } from "./drop-files.tsx";
import { Ended } from "./ended.tsx";
import { PaneHead } from "./head.tsx";
import { addPaneCommands } from "./pane-commands.ts";
import { SessionContext } from "./session-context.ts";
import { RefusedSession } from "./refused.tsx";
import { Lineage } from "./lineage.tsx";
import { SessionComposer } from "./session-composer.tsx";
import { Transcript } from "./transcript.tsx";
import { Waiting } from "./waiting.tsx";

export function SessionPane(props: { id: string }) {
  const { follow, list } = useDashboard();
  const [followed, setFollowed] = createSignal(follow(props.id));
  return (
    <Switch>
      <Match when={followed().session.refused}>
        {(refused) => (
          <Show when={refused().code !== "not_found"} fallback={<UnknownSession id={props.id} />}>
            <RefusedSession id={props.id} {...refused()} again={() => setFollowed(follow(props.id))} />
          </Show>
        )}
      </Match>
      <Match when={followed().session.view}>{(view) => <Pane followed={followed()} view={view()} />}</Match>
      <Match when={true}>
        <PageHead title={shownTitle(list.row(props.id)?.title ?? null)} />
        <div class="page">
          <p class="note" role="status">
            Loading the session…
          </p>
        </div>
      </Match>
    </Switch>
  );
}

function Pane(props: { followed: Followed; view: View }) {
  nameSubject(() => shownTitle(props.view.meta.title));
  addPaneCommands(props.followed, useDashboard().client);
  const at = createMemo(() => {
    const now = route();
    return now.page === "session" && now.session === props.followed.id ? now.at : null;
  });
  return (
    <SessionContext.Provider value={props.followed}>
      <DropFiles class="pane" add={(files) => props.followed.outbox.files.add(files)}>
        <div class="middle">
          <PaneHead id={props.followed.id} view={props.view} />
          <Lineage view={props.view} />
          <Transcript followed={props.followed} view={props.view} at={at()} />
          <Announcer followed={props.followed} />
          <div class="compose">
            <Waiting session={props.followed.id} view={props.view} outbox={props.followed.outbox} />
            <Show
              when={props.view.ended}
              fallback={<SessionComposer followed={props.followed} view={props.view} />}
            >
              {(ended) => <Ended ended={ended()} outbox={props.followed.outbox} />}
            </Show>
          </div>
        </div>
        <SidePanel followed={props.followed} view={props.view} />
      </DropFiles>
    </SessionContext.Provider>
  );
}
