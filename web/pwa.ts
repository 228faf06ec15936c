// Registers the service worker, and opens what a notification that it showed leads to.
import { navigate } from "./route.ts";

export function registerWorker(): void {
  // A page over plain http from another machine has none: it then can't be installed and has no offline page.
  const workers = (navigator as Partial<Navigator>).serviceWorker;
  if (!workers) return;
  workers.addEventListener("message", ({ data }: MessageEvent<{ open?: unknown }>) => {
    if (typeof data.open === "string") navigate(data.open);
  });
  addEventListener("load", () => {
    workers.register("/sw.js").catch((error: unknown) => {
      console.info("Holdfast goes on without a service worker:", error); // some browsers refuse it in private windows
    });
  });
}
