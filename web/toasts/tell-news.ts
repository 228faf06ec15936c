// Tells of what happens in sessions that are not on screen, in the page and by the system: an ask, an end, a failure.
import { onCleanup } from "solid-js";
import type { Ask, SessionRow } from "../../src/protocol/http.ts";
import { askPath, sessionPath } from "../address.ts";
import { createNotifier } from "../notify/notify.ts";
import { route } from "../route.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { shownTitle } from "../title.ts";
import { endingOf, lastWords } from "./news.ts";
import { showToast } from "./show.ts";

const DETAIL_CHARS = 160;

export function tellNews({ asks, list, peek }: Dashboard): void {
  const notify = createNotifier({ asks });
  const known = new Map<string, Pick<SessionRow, "status">>();

  /** Asks of sessions whose row, and so whose name, has not come yet. */
  let unnamed: Ask[] = [];

  onCleanup(
    asks.onRaised((ask) => {
      if (list.row(ask.session)) tellAsk(ask);
      else unnamed = [...unnamed, ask].slice(-UNNAMED_MAX);
    }),
  );
  onCleanup(
    list.onRows(({ rows }) => {
      const named = unnamed.filter(({ session }) => list.row(session));
      unnamed = unnamed.filter((ask) => !named.includes(ask));
      named.forEach(tellAsk);
      for (const row of rows) {
        const ending = endingOf(known.get(row.id), row, peek(row.id));
        known.set(row.id, { status: row.status }); // as many as there are sessions
        if (ending !== undefined && ending !== "stopped") tellEnd(row, ending);
      }
    }),
  );

  function tellAsk(ask: Ask): void {
    const { page } = route();
    const above = list.above(ask.session);
    const whose = above.at(-1) ?? ask.session;
    const wants = ask.kind === "approval" ? "wants an approval" : "asks you something";
    const text = `${shownTitle(list.row(whose)?.title)} ${wants}`;
    const detail = (ask.command ?? ask.title).slice(0, DETAIL_CHARS);
    const path = askPath(ask.id);
    const kind = ask.kind === "approval" ? "approval" : "question";
    notify({ kind, id: ask.id, text, detail, path, sessions: [ask.session, ...above] });
    if (page === "inbox" || page === "ask" || [ask.session, ...above].some(isOnScreen)) return;
    showToast({
      text,
      detail,
      tone: "needs_you",
      href: path,
      key: whose,
      lastsMs: ASK_LASTS_MS,
    });
  }

  function tellEnd(row: SessionRow, ending: "finished" | "failed"): void {
    const text = `${shownTitle(row.title)} ${ending === "failed" ? "failed" : "is done"}`;
    const detail = lastWords(peek(row.id));
    const path = sessionPath(row.id);
    notify({ kind: ending, id: row.id, text, detail, path, sessions: [row.id] });
    if (isOnScreen(row.id)) return;
    showToast({
      text,
      detail,
      tone: ending === "failed" ? "failed" : "news",
      href: path,
      key: row.id,
    });
  }
}

const ASK_LASTS_MS = 15_000;
const UNNAMED_MAX = 20;

function isOnScreen(session: string): boolean {
  const now = route();
  return now.page === "session" && now.session === session;
}
