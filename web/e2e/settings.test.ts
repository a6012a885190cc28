/** What the settings say, and whether it is so. */

import { expect, test } from "vitest";
import { browser, eventually, goTo, PHONE, terminal } from "./browser";
import { House, suite } from "./house";

const ASKS = [
  "sh",
  "-c",
  "echo ready; read -r _; printf '\\033]7501;state=blocked:kind=permission\\033\\\\'; exec cat",
];

suite("settings", () => {
  const visits = browser();

  test("browsers have short names, and the person's own is marked", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"]);
    const page = await visits.attached(house, place);
    await visits.attached(house, place, PHONE);
    await terminal(page).getByText("Chrome on Android").waitFor();
    await goTo(page, "#/settings");
    const access = page.getByRole("region", { name: "Signed-in browsers and programs" });
    await access.getByText("Chrome on Linux, this browser", { exact: true }).waitFor();
    await access.getByText("Chrome on Android", { exact: true }).waitFor();
    expect(await access.getByRole("button").allInnerTexts()).toEqual(["Sign out…", "Revoke…"]);
  });

  test("the service worker shows a notification where a page may not, and a click opens its worker", async () => {
    const house = await House.open();
    const place = await house.quick(ASKS, "asker");
    await house.prints(place.worker, "ready");
    const page = await visits.visit(house, {
      ...PHONE,
      permissions: ["notifications"],
      // As on a phone.
      before: () => {
        const permission = { get: () => "granted" };
        window.Notification = Object.defineProperty(
          class {
            constructor() {
              throw new TypeError("Illegal constructor");
            }
          },
          "permission",
          permission,
        ) as unknown as typeof Notification;
      },
    });
    const shown = () =>
      page.evaluate(async () => {
        const worker = await navigator.serviceWorker.getRegistration();
        return ((await worker?.getNotifications()) ?? []).map(({ title, data }) => [title, data]);
      });
    await goTo(page, "#/settings");
    const notices = page.getByRole("switch", { name: /When an agent asks/ });
    await notices.check();
    await eventually(shown).toEqual([["Notifications are on", "#/settings"]]);
    expect(await notices.isChecked()).toBe(true);

    // The person looks elsewhere.
    await page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await house.abide("send", place.worker, "--enter", "go");
    await eventually(() => page.title()).toMatch(/^\(1\)/);
    // It leads to the entry, where the question can be answered.
    const hash = `#/inbox/${place.worker}`;
    await eventually(async () => (await shown()).map(([, data]) => data)).toContain(hash);
    const [worker] = page.context().serviceWorkers();
    if (!worker) throw new Error("there is no service worker");
    await worker.evaluate((hash) => {
      const scope = globalThis as unknown as { registration: ServiceWorkerRegistration };
      return scope.registration.getNotifications().then((all) => {
        const notification = all.find(({ data }) => data === hash);
        const event = Object.assign(new Event("notificationclick"), { notification, waitUntil: () => {} });
        globalThis.dispatchEvent(event);
      });
    }, hash);
    await eventually(() => page.url()).toContain(hash);
    await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("button", { name: "Answer in its terminal" }) })
      .waitFor();
  });

  test("notifications are not shown as on in a browser that cannot show them", async () => {
    const house = await House.open();
    const page = await visits.visit(house, {
      before: () => {
        // An empty page has none.
        if (!("serviceWorker" in navigator)) return;
        Object.defineProperty(Notification, "permission", { get: () => "granted" });
        ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error("none here"));
        window.Notification = class extends Notification {
          constructor(title: string) {
            super(title);
            throw new TypeError("Illegal constructor");
          }
        };
      },
    });
    await goTo(page, "#/settings");
    const notices = page.getByRole("switch", { name: /When an agent asks/ });
    await notices.click();
    await page.getByText("This browser does not show notifications of web pages.").waitFor();
    expect(await notices.isChecked()).toBe(false);
  });
});
