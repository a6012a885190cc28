import type { News } from "../dashboard/news";

/** Whether this browser can show notifications, and whether it may. */
export type Permission = "unsupported" | NotificationPermission;

export function permission(): Permission {
  return "Notification" in globalThis ? Notification.permission : "unsupported";
}

/** Asks the person, by way of the browser, which only does so after a click. */
export async function askPermission(): Promise<Permission> {
  return "Notification" in globalThis ? Notification.requestPermission() : "unsupported";
}

/** Shows a notification; `open` brings the person to what it is about. */
export function notify(news: News, open: () => void): void {
  if (permission() !== "granted") return;
  try {
    // A worker has one notification at a time: the newest takes the place of the one before.
    const shown = new Notification(news.title, {
      body: news.text,
      tag: news.worker.id,
      icon: "/icon-192.png",
    });
    shown.onclick = () => {
      focus();
      open();
      shown.close();
    };
  } catch {
    // Phones only allow them from a service worker. The title and the icon still say how many ask.
  }
}
