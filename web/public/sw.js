// The service worker. It keeps one page, for when the server can't be reached, and nothing of the app or of what the
// server says: those are always asked for anew. It also shows notifications where pages may not, as on Android.

/** Named after what is in it, so that a change of any file is a change of this one: web/offline.test.ts says how. */
const CACHE = "offline-4217805a";
const FILES = ["/offline.html", "/offline.css", "/offline.js", "/theme.js", "/icon.svg"];

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all([keepFiles(), leaveApiAlone(event)]));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    Promise.all([dropOthers(), self.registration.navigationPreload?.enable(), self.clients.claim()]),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method !== "GET" || pathname.startsWith("/api/")) return; // a download is a navigation too
  if (request.destination === "document") event.respondWith(pageOrOffline(event));
  else if (FILES.includes(pathname)) event.respondWith(netOrKept(request));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openAt(event.notification.data.path));
});

async function keepFiles() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  await self.skipWaiting(); // it serves no version of the app, so there is none to wait for
}

/** What a page sends while it is being left would end with the page, if it had to go through here first. */
async function leaveApiAlone(event) {
  await event.addRoutes?.({ condition: { urlPattern: "/api/*" }, source: "network" });
}

async function dropOthers() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
}

async function pageOrOffline(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const kept = await caches.match("/offline.html");
    if (kept) return kept;
    throw error;
  }
}

async function netOrKept(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request);
    if (kept) return kept;
    throw error;
  }
}

async function openAt(path) {
  const tabs = await self.clients.matchAll({ type: "window" });
  const tab = tabs.find(({ focused }) => focused) ?? tabs[0];
  if (!tab) return self.clients.openWindow(path);
  await tab.focus();
  tab.postMessage({ open: path });
}
