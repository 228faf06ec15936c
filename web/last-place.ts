// Opening the page anew leads to the session that was looked at last. Links to the list within the page do not.
import { createEffect } from "solid-js";
import { sessionPath } from "./address.ts";
import { navigate, route } from "./route.ts";

const KEY = "holdfast:last-session";

/** A session that nobody asked for by name: it was only the last one. */
let cameBackTo: string | undefined;

/** Where `/` leads when it is opened anew. */
export function lastPlace(): string {
  const session = localStorage.getItem(KEY);
  return session === null ? "/" : sessionPath(session);
}

export function goToLastPlace(): void {
  const session = localStorage.getItem(KEY);
  if (route().page !== "sessions" || session === null) return;
  cameBackTo = session;
  navigate(sessionPath(session), { replace: true });
}

/** For as long as the calling component is there. */
export function keepLastPlace(): void {
  createEffect(() => {
    const here = route();
    if (here.page === "session") localStorage.setItem(KEY, here.session);
  });
}

/** The session is gone: true when nobody has to be told, since the list is what they wanted. */
export function forgetPlace(session: string): boolean {
  if (localStorage.getItem(KEY) === session) localStorage.removeItem(KEY);
  if (cameBackTo !== session) return false;
  cameBackTo = undefined;
  navigate("/", { replace: true });
  return true;
}
