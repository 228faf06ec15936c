// A session that works for another can be deleted. The other waits for it, perhaps for ever, so a timer that is due at once
// comes to be with the deletion, and whoever acts on it tells the other.

/** The key of the timer that says that this session is gone; its log is the one that it worked for. */
export function goneTimer(child: string): string {
  return `${GONE_TIMER}${child}`;
}

/** The session that a timer's key names, if it is one of these. */
export function goneOfTimer(key: string): string | undefined {
  return key.startsWith(GONE_TIMER) ? key.slice(GONE_TIMER.length) : undefined;
}

const GONE_TIMER = "gone:";
