// What can be done with a session, wherever it is named: in its row, and in the head of its pane.
import { createMemo } from "solid-js";
import { sessionPath as apiPath } from "../../src/client/commands.ts";
import { sessionPath } from "../address.ts";
import { confirmFirst } from "../confirm.tsx";
import { copyText } from "../copy.ts";
import { failureWords } from "../failure-words.ts";
import { Icon } from "../icon.tsx";
import { Menu, type MenuItem } from "../menu.tsx";
import { askInPalette } from "../palette/open.ts";
import { navigate, route } from "../route.ts";
import { useDashboard } from "../state/dashboard.ts";
import { shownTitle } from "../title.ts";
import { isAtWork } from "../toasts/news.ts";
import { showToast } from "../toasts/show.ts";

export function SessionMenu(props: {
  id: string;
  class?: string;
  tabindex?: number;
  /** What else is offered here, above the rest. */
  first?: readonly MenuItem[];
}) {
  const { client, list, peek, deletions } = useDashboard();
  const row = () => list.row(props.id);
  const title = () => row()?.title ?? peek(props.id)?.meta.title ?? null;
  const isWorking = () => {
    const known = row();
    return known ? isAtWork(known.status) : (peek(props.id)?.turn ?? null) !== null;
  };
  const isDelegate = () => row()?.origin?.kind === "delegation";

  /** What goes wrong has no place of its own on the page. */
  async function attempt(what: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      showToast({ text: `${what}: ${shownTitle(title())}`, detail: failureWords(error), tone: "failed" });
    }
  }
  const arrange = (change: { pinned?: boolean; archived?: boolean }) =>
    attempt("Not changed", () => client.patchSession(props.id, change));

  function rename(): void {
    const { id } = props;
    askInPalette({
      label: "New title",
      value: title() ?? "",
      verb: "Rename",
      run: async (text) => void (await client.patchSession(id, { title: text })),
    });
  }

  async function copyLink(): Promise<void> {
    const link = location.origin + sessionPath(props.id);
    if (await copyText(link)) showToast({ text: "Link copied" });
    else askInPalette({ label: "Copy it here:", value: link, verb: "Done", run: () => {} });
  }

  function remove(): void {
    const session = { id: props.id, title: title() };
    const { processes = 0 } = row() ?? {};
    const isLive = isWorking() || processes > 0;
    const begin = (force: boolean) => {
      const here = route();
      const wasOpen = here.page === "session" && here.session === session.id;
      const onUndone = () => {
        if (wasOpen) navigate(sessionPath(session.id));
      };
      deletions.begin(session, { force, onUndone });
      if (wasOpen) navigate("/");
    };
    if (!isLive) return begin(false);
    confirmFirst({
      title: `Delete ${shownTitle(session.title)} while it works?`,
      text: "What it is doing is cut off, and nothing of it is kept.",
      verb: "Delete it",
      run: () => begin(true),
    });
  }

  const items = createMemo((): MenuItem[] => {
    const known = row();
    const stop: MenuItem = {
      label: "Stop",
      icon: "stop",
      run: () => void attempt("Not stopped", () => client.stop(props.id)),
    };
    const pin: MenuItem = {
      label: known?.pinned ? "Unpin" : "Pin",
      icon: "pin",
      run: () => void arrange({ pinned: !known?.pinned }),
    };
    const archive: MenuItem = {
      label: known?.archived ? "Bring back from the archive" : "Archive",
      icon: "archive",
      run: () => void arrange({ archived: !known?.archived }),
    };
    return [
      ...(props.first ?? []),
      ...(isWorking() ? [stop] : []),
      ...(known && !isDelegate() ? [pin] : []),
      { label: "Rename…", icon: "pencil", run: rename },
      {
        label: "Fork",
        icon: "fork",
        run: () =>
          void attempt("Not forked", async () =>
            navigate(sessionPath((await client.forkSession(props.id)).id)),
          ),
      },
      ...(known && !isDelegate() ? [archive] : []),
      { label: "Export as Markdown", icon: "download", run: () => download(props.id, "md") },
      { label: "Export as JSON lines", icon: "download", run: () => download(props.id, "jsonl") },
      { label: "Copy link", icon: "link", run: () => void copyLink() },
      { label: "Delete", icon: "trash", isDangerous: true, run: remove },
    ];
  });

  return (
    <Menu
      label={`Menu of ${shownTitle(title())}`}
      class={`quiet sign ${props.class ?? ""}`}
      button={<Icon name="menu" />}
      tabindex={props.tabindex}
      items={items()}
    />
  );
}

/** The browser itself takes it to disk, however long it is; the server gives it its name. */
function download(session: string, format: "md" | "jsonl"): void {
  const link = document.createElement("a");
  link.href = `${apiPath(session)}/export?format=${format}`;
  link.download = "";
  link.click();
}
