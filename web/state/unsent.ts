// What was typed and not sent, kept in this browser for each session: a reload or a crash of the tab loses no word, and
// other tabs show the same. Of two that type at once, the one that wrote last counts.
import type { Attachment } from "../../src/session/event.ts";
import { isPosition, type Position } from "../../src/session/position.ts";

const TEXT = "holdfast:unsent:";
const BEGUN = "holdfast:begun:";
const FILES = "holdfast:unsent-files:";

/** A file that is on the server; or the name of one that never got there. */
export type KeptFile = Attachment | { name: string };

export function unsentText(session: string): string {
  return localStorage.getItem(TEXT + session) ?? "";
}

/** How far the session had come when that was begun. */
export function unsentBegun(session: string): Position | null {
  const kept = localStorage.getItem(BEGUN + session) ?? "";
  return isPosition(kept) ? kept : null;
}

export function unsentFiles(session: string): KeptFile[] {
  return parsed<KeptFile>(localStorage.getItem(FILES + session));
}

/** False when the browser has no room for it; the text then lives as long as the tab. */
export function keepUnsent(session: string, text: string): boolean {
  return keepItem(TEXT + session, text);
}

export function keepUnsentBegun(session: string, begun: Position | null): boolean {
  return keepItem(BEGUN + session, begun ?? "");
}

export function keepUnsentFiles(session: string, files: readonly KeptFile[]): boolean {
  return keepItem(FILES + session, files.length === 0 ? "" : JSON.stringify(files));
}

/** Of all texts that are kept, those of what begins so. */
export function unsentKeys(prefix: string): string[] {
  const keys = Array.from({ length: localStorage.length }, (_, n) => localStorage.key(n) ?? "");
  return keys.filter((key) => key.startsWith(TEXT + prefix)).map((key) => key.slice(TEXT.length));
}

/** An empty text is not kept at all. */
export function keepItem(key: string, text: string): boolean {
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "QuotaExceededError") return false;
    throw error;
  }
}

/** What this page wrote itself; what someone else put there is not worth a broken page. */
export function parsed<T>(json: string | null): T[] {
  try {
    const value: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(value) ? (value as T[]) : [];
  } catch {
    return [];
  }
}

type Hear = (before: string, now: string) => void;
const hearers = new Map<string, Hear>();

/** Told when another tab has typed: what stood there before that, and what now. A session has one hearer. */
export function hearOtherTabs(session: string, hear: Hear): void {
  if (hearers.size === 0)
    globalThis.addEventListener("storage", ({ key, oldValue, newValue }) => {
      if (key?.startsWith(TEXT)) hearers.get(key.slice(TEXT.length))?.(oldValue ?? "", newValue ?? "");
    });
  hearers.set(session, hear);
}
