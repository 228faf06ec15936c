// Where this tab was when it had to log in, and the news that another tab has done so.

const KEY = "holdfast:came-from";
const CHANNEL = "holdfast:login";

export function keepAddress(): void {
  const here = location.pathname + location.search + location.hash;
  if (!here.startsWith("/login")) sessionStorage.setItem(KEY, here);
}

/** Once: who comes back later goes where they want. */
export function takeAddress(): string | undefined {
  const kept = sessionStorage.getItem(KEY) ?? undefined;
  sessionStorage.removeItem(KEY);
  return kept;
}

export function tellLoggedIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage("in");
  channel.close();
}

export function onLoggedIn(hear: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = hear;
  return () => channel.close();
}
