// Whether the side panel is open. Beside the session that is a habit of this device. Where it has to cover the session, it is
// a place in the history instead: Back closes it, a reload keeps it, and another session is opened without it.
import { createSignal } from "solid-js";
import { media } from "../media.ts";
import { route } from "../route.ts";

/** Too narrow for the panel to stand beside the session: the same bound as in panel.css. */
export const isSheet = media("(max-width: 1080px)");

const KEY = "holdfast:panel";
const [isKept, setKept] = createSignal(localStorage.getItem(KEY) === "open");
/** The history tells of no change that it was asked for. */
const [changes, setChanges] = createSignal(0);
globalThis.addEventListener("popstate", () => setChanges((n) => n + 1));

export function isPanelOpen(): boolean {
  changes();
  route();
  return isSheet() ? isMarked() : isKept();
}

export function openPanel(): void {
  if (isPanelOpen()) return;
  if (!isSheet()) return keep(true);
  history.pushState({ panel: true }, "");
  setChanges((n) => n + 1);
}

export function closePanel(): void {
  if (!isPanelOpen()) return;
  if (!isSheet()) return keep(false);
  history.back();
}

function keep(isOpen: boolean): void {
  setKept(isOpen);
  if (isOpen) localStorage.setItem(KEY, "open");
  else localStorage.removeItem(KEY);
}

function isMarked(): boolean {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "panel" in state;
}
