// Shows notifications where a page itself may not, as on phones. It keeps nothing, and answers no request.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

/** Goes to a place of the page: in one that is open already, if there is one. */
async function open(hash) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  if (!page) return self.clients.openWindow(`/${hash}`);
  page.postMessage({ go: hash });
  return page.focus();
}
