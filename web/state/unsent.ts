// What was typed and not sent, kept in this browser for each session: a reload or a crash of the tab loses no word.

const PREFIX = "holdfast:unsent:";

export function unsentText(session: string): string {
  return localStorage.getItem(PREFIX + session) ?? "";
}

/** False when the browser has no room for it; the text then lives as long as the tab. */
export function keepUnsent(session: string, text: string): boolean {
  try {
    if (text === "") localStorage.removeItem(PREFIX + session);
    else localStorage.setItem(PREFIX + session, text);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "QuotaExceededError") return false;
    throw error;
  }
}
