// Tells a person who looks elsewhere, by the system: once for all tabs, and not what is on screen in one of them.
import { createEffect, on } from "solid-js";
import type { Dashboard } from "../state/dashboard.ts";
import { route } from "../route.ts";
import { choices, type NewsKind } from "./choices.ts";
import { isQuiet } from "./is-quiet.ts";
import { closeNotification, notificationPermission, showNotification } from "./system.ts";
import { createIsTeller, isShownInAnyTab, showThatShown } from "./tabs.ts";

export type News = {
  kind: NewsKind;
  /** What names it: the same news again takes the place of the first. */
  id: string;
  text: string;
  detail: string;
  path: string;
  /** Who has one of these on screen knows. */
  sessions: readonly string[];
};

/** For as long as the calling component is there. */
export function createNotifier({ asks }: Pick<Dashboard, "asks">): (news: News) => void {
  const isTeller = createIsTeller();
  showThatShown(() => {
    const here = route();
    return here.page === "session" ? here.session : undefined;
  });
  // An ask that was answered elsewhere needs nobody any more.
  createEffect(
    on(
      () => asks.open().map(({ id }) => id),
      (open, before = []) => before.filter((id) => !open.includes(id)).forEach(closeNotification),
    ),
  );
  return (news) => {
    const { kinds, quiet } = choices();
    const isWanted = kinds[news.kind] && !isQuiet(quiet, new Date());
    if (isWanted && isTeller() && notificationPermission() === "granted") void tell(news);
  };
}

async function tell({ id, text, detail, path, sessions }: News): Promise<void> {
  if (await isShownInAnyTab(sessions)) return;
  await showNotification({ title: text, body: detail, path, tag: id });
}
