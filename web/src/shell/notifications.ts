/** Whether this browser can show notifications, and whether it may. */
export type Permission = "unsupported" | NotificationPermission;

/** What a notification says, and the place of the page that it leads to. */
export interface Notice {
  readonly title: string;
  readonly text: string;
  /** A newer one of the same name takes its place. */
  readonly tag: string;
  /** The place's address behind `#`. */
  readonly hash: string;
}

export function permission(): Permission {
  return "Notification" in globalThis ? Notification.permission : "unsupported";
}

/** Asks the person, by way of the browser, which only does so after a click. */
export async function askPermission(): Promise<Permission> {
  return "Notification" in globalThis ? Notification.requestPermission() : "unsupported";
}

let shower: Promise<ServiceWorkerRegistration | undefined> | undefined;

/** Phones let a service worker alone show notifications. Some browsers have none, as in private windows. */
async function registered(): Promise<ServiceWorkerRegistration | undefined> {
  try {
    await navigator.serviceWorker.register("/notices.js");
    return await navigator.serviceWorker.ready;
  } catch {
    return undefined;
  }
}

/** Shows a notification; pressing it leads to its place. Returns whether it is shown. */
export async function notify({ title, text, tag, hash }: Notice): Promise<boolean> {
  if (permission() !== "granted") return false;
  const options = { body: text, tag, icon: "/icon-192.png", data: hash };
  shower ??= registered();
  try {
    const worker = await shower;
    if (worker) {
      await worker.showNotification(title, options);
      return true;
    }
    const shown = new Notification(title, options);
    shown.onclick = () => {
      focus();
      location.hash = hash;
      shown.close();
    };
    return true;
  } catch {
    return false;
  }
}

/** Goes where a notification leads that the service worker has shown. */
export function onNotice(go: (hash: string) => void): () => void {
  const heard = ({ data }: MessageEvent) => {
    if (typeof data?.go === "string" && data.go.startsWith("#/")) go(data.go);
  };
  // There is none where the page is not reached in a secure way.
  navigator.serviceWorker?.addEventListener("message", heard);
  return () => navigator.serviceWorker?.removeEventListener("message", heard);
}
