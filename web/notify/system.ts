// The system's own notifications, as far as this browser has them.
import { createSignal, type Accessor } from "solid-js";
import { navigate } from "../route.ts";

export type Shown = { title: string; body: string; path: string; tag: string };

/** `impossible`: not over plain http from another machine, and not in every browser. */
export type Permission = NotificationPermission | "impossible";

const [permission, setPermission] = createSignal<Permission>(permissionNow());
export const notificationPermission: Accessor<Permission> = permission;

function permissionNow(): Permission {
  return isSecureContext && "Notification" in globalThis ? Notification.permission : "impossible";
}

/** Only on a click: browsers refuse those who ask unbidden. */
export async function askPermission(): Promise<void> {
  if (permissionNow() === "default") await Notification.requestPermission();
  setPermission(permissionNow());
}

export async function showNotification({ title, body, path, tag }: Shown): Promise<void> {
  const options = { body, tag, icon: "/icon-192.png", data: { path } };
  try {
    const shown = new Notification(title, options);
    opened.set(tag, shown);
    shown.addEventListener("close", () => opened.delete(tag));
    shown.addEventListener("click", () => {
      window.focus();
      navigate(path);
      shown.close();
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // On Android only the service worker may, and it opens the place itself.
    const worker = await navigator.serviceWorker.ready;
    await worker.showNotification(title, options);
  }
}

/** As many as are on screen. */
const opened = new Map<string, Notification>();

/** What it told of is over. */
export function closeNotification(tag: string): void {
  opened.get(tag)?.close();
  opened.delete(tag);
}
