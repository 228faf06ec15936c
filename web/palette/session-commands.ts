// What can be done with the session that is on screen.
import { sessionPath as apiPath } from "../../src/client/commands.ts";
import type { SessionRow } from "../../src/protocol/http.ts";
import { sessionPath } from "../address.ts";
import { copyText } from "../copy.ts";
import { navigate, route } from "../route.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { addCommands } from "./commands.ts";
import { askInPalette } from "./open.ts";

const AT_WORK: ReadonlySet<SessionRow["status"]> = new Set(["running", "waiting", "recovering"]);

export function addSessionCommands({ client, list }: Dashboard): void {
  const id = () => {
    const here = route();
    return here.page === "session" ? here.session : undefined;
  };
  const row = () => list.row(id() ?? "");
  const isOpen = () => id() !== undefined;
  /** Each takes the session that was on screen when it began. */
  const on = (run: (session: string) => void | Promise<void>) => () => {
    const session = id();
    return session === undefined ? undefined : run(session);
  };
  const patch = (change: { pinned?: boolean; archived?: boolean }) =>
    on(async (session) => void (await client.patchSession(session, change)));

  addCommands([
    {
      id: "session.stop",
      title: "Stop the turn",
      also: "cancel interrupt",
      keys: "mod+.",
      when: () => AT_WORK.has(row()?.status ?? "idle"),
      run: on(async (session) => void (await client.stop(session))),
    },
    {
      id: "session.rename",
      title: "Rename this session…",
      also: "title",
      when: isOpen,
      run: on((session) =>
        askInPalette({
          label: "New title",
          value: row()?.title ?? "",
          verb: "Rename",
          run: async (title) => void (await client.patchSession(session, { title })),
        }),
      ),
    },
    {
      id: "session.fork",
      title: "Fork this session",
      also: "branch copy",
      when: isOpen,
      run: on(async (session) => navigate(sessionPath((await client.forkSession(session)).id))),
    },
    {
      id: "session.pin",
      title: "Pin this session",
      when: () => row()?.pinned === false,
      run: patch({ pinned: true }),
    },
    {
      id: "session.unpin",
      title: "Unpin this session",
      when: () => row()?.pinned === true,
      run: patch({ pinned: false }),
    },
    {
      id: "session.archive",
      title: "Archive this session",
      when: () => row()?.archived === false,
      run: on(async (session) => {
        await client.patchSession(session, { archived: true });
        navigate("/");
      }),
    },
    {
      id: "session.unarchive",
      title: "Bring this session back from the archive",
      when: () => isOpen() && row()?.archived !== false, // those in the archive may not be in the list
      run: patch({ archived: false }),
    },
    {
      id: "session.copy-link",
      title: "Copy the link to this session",
      also: "address url",
      when: isOpen,
      run: on(async (session) => copyLink(location.origin + sessionPath(session))),
    },
    {
      id: "session.export-md",
      title: "Export this session as Markdown",
      also: "download save",
      when: isOpen,
      run: on((session) => download(`${apiPath(session)}/export?format=md`)),
    },
    {
      id: "session.export-jsonl",
      title: "Export this session as JSON lines",
      also: "download save log",
      when: isOpen,
      run: on((session) => download(`${apiPath(session)}/export?format=jsonl`)),
    },
  ]);
}

async function copyLink(link: string): Promise<void> {
  if (await copyText(link)) return;
  askInPalette({
    label: "This browser does not let the page copy. Copy it here:",
    value: link,
    verb: "Done",
    run: () => {},
  });
}

/** The browser itself takes it to disk, however long it is; the server gives it its name. */
function download(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}
