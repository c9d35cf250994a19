// Shows the offline page if a page cannot be fetched. It caches nothing else, so stale figures are never shown. Shows the
// messages to this device (docs/product.md#push).
const KEPT = "offline-3";
const FILES = ["/offline.html", "/offline.css", "/offline.js", "/theme.js", "/favicon.svg"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)));
});

addEventListener("activate", (event) => {
  const others = caches.keys().then((names) => names.filter((name) => name !== KEPT));
  event.waitUntil(others.then((names) => Promise.all(names.map((name) => caches.delete(name)))));
});

addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline.html")));
  } else if (FILES.includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(pathname)));
  }
});

addEventListener("push", (event) => {
  // `api/push/message.ts`. One that was sent twice takes the place of itself.
  const { title, body, tag, path } = event.data.json();
  event.waitUntil(registration.showNotification(title, { body, tag, icon: "/icon-192.png", data: path }));
});

addEventListener("notificationclick", (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(openPage(notification.data));
});

/** In a page that shows it, or in one that is open; in a new one if the browser gives us none. */
async function openPage(path) {
  const url = new URL(path, location.origin);
  if (url.origin !== location.origin) return;
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = pages.find((one) => new URL(one.url).pathname === url.pathname);
  if (shown) return shown.focus();
  try {
    const page = await pages[0].navigate(url.href);
    await page.focus();
  } catch {
    await clients.openWindow(url.href);
  }
}

// The service has ended this browser's address. A page tells the server the new one as soon as one is opened: the worker has
// no session (`frontend/session/push-device.ts`).
addEventListener("pushsubscriptionchange", (event) => {
  const { oldSubscription, newSubscription } = event;
  if (oldSubscription && !newSubscription) event.waitUntil(registration.pushManager.subscribe(oldSubscription.options));
});
