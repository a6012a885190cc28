/** The page on a phone. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { browser, eventually, PHONE, sameScreen, seen, shows, terminal } from "./browser";
import { House, otherServer, suite } from "./house";

suite("on a phone", () => {
  const visits = browser();

  const press = (page: Page, name: string | RegExp) =>
    page.getByRole("toolbar", { name: "Keys" }).getByRole("button", { name, exact: true }).tap();

  const tapTerminal = async (page: Page) => {
    await terminal(page).locator(".stage").tap();
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
  };

  test("the key bar types the keys that a phone's keyboard lacks", async () => {
    const house = await House.open();
    const raw = await house.script(
      "raw.sh",
      `stty raw -echo; printf ready; exec cat -v > ${house.path("got")}`,
    );
    const place = await house.quick([raw]);
    const page = await visits.attached(house, place, PHONE);
    await shows(page, "ready");
    const keys = ["Esc", "Tab", "Shift+Tab", "Ctrl+C", "Up", "Down", "Left", "Right", "Slash", "Bar", "Dash"];
    for (const key of [...keys, "Tilde", "Home", "End", "Page up", "Page down", "Enter"])
      await press(page, key);
    const plain = "^[\t^[[Z^C^[[A^[[B^[[D^[[C/|-~^[[H^[[F^[[5~^[[6~^M";
    await eventually(() => house.wrote("got")).toBe(plain);
    // Control holds for one key, of either keyboard.
    await press(page, /^Ctrl,/);
    await page.keyboard.type("c");
    await page.keyboard.type("c");
    await press(page, /^Ctrl,/);
    await press(page, "Right");
    await eventually(() => house.wrote("got")).toBe(`${plain}^Cc^[[1;5C`);
    // So does Alt.
    await press(page, /^Alt/);
    await page.keyboard.type("bb");
    await press(page, /^Alt/);
    await press(page, "Up");
    const held = `${plain}^Cc^[[1;5C^[bb^[[1;3A`;
    await eventually(() => house.wrote("got")).toBe(held);
    // Every key is as large as a fingertip.
    const bar = page.getByRole("toolbar", { name: "Keys" });
    for (const key of await bar.getByRole("button").all()) {
      const box = await key.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(40);
      expect(box?.width).toBeGreaterThanOrEqual(40);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    // A finger that scrolls the bar presses none of them.
    await bar.evaluate((element) => element.scrollTo(0, 0));
    const box = await bar.boundingBox();
    const touch = await page.context().newCDPSession(page);
    await touch.send("Input.synthesizeScrollGesture", {
      x: 300,
      y: Math.round((box?.y ?? 0) + 25),
      xDistance: -200,
      preventFling: true,
    });
    await eventually(() => bar.evaluate((element) => element.scrollLeft)).toBeGreaterThan(100);
    expect(await house.wrote("got")).toBe(held);
  });

  test("Ctrl-C of the key bar interrupts the running program, and Tab completes", async () => {
    const house = await House.open();
    const place = await house.quick();
    const page = await visits.attached(house, place, PHONE);
    await shows(page, "$");
    await tapTerminal(page);
    await page.keyboard.type("sleep 1000\n");
    await shows(page, "sleep 1000");
    await press(page, /^Ctrl,/);
    await page.keyboard.type("c");
    await shows(page, /\^C\n\$/);
    await page.keyboard.type("touch a-long-name && echo made\n");
    await shows(page, /^made$/m);
    await page.keyboard.type("ls a-lo");
    await press(page, "Tab");
    await shows(page, /ls a-long-name/);
    await press(page, "Enter");
    await shows(page, /^a-long-name$/m);
    await sameScreen(house, page, place.worker);
  });

  test("the soft keyboard covers the page and never changes the terminal's size", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", "seq 1 100; exec cat"]);
    const page = await visits.attached(house, place, PHONE);
    await shows(page, "100");
    // No keyboard appears before the person wants to type.
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("TEXTAREA");
    await tapTerminal(page);
    const before = (await house.screen(place.worker)).size;
    const bar = page.getByRole("toolbar", { name: "Keys" });
    const low = (await bar.boundingBox())?.y ?? 0;
    // Chromium has no soft keyboard here: what one does is to make less of the page visible.
    await page.evaluate(() => {
      const view = window.visualViewport;
      if (!view) return;
      Object.defineProperty(view, "height", { configurable: true, get: () => window.innerHeight - 320 });
      view.dispatchEvent(new Event("resize"));
    });
    await eventually(async () => (await bar.boundingBox())?.y ?? 0).toBeLessThanOrEqual(low - 300);
    // The line in which one types is above the keyboard and the key bar.
    const cursor = await terminal(page).locator(".xterm-cursor").boundingBox();
    const barNow = await bar.boundingBox();
    expect(cursor && barNow && cursor.y + cursor.height <= barNow.y + 1).toBe(true);
    await page.keyboard.type("typed\n");
    await shows(page, /typed\ntyped/);
    expect((await house.screen(place.worker)).size).toEqual(before);
    await sameScreen(house, page, place.worker);
  });

  /** Holds a finger on a text of the terminal until there is a menu. */
  const hold = async (page: Page, text: string) => {
    const row = terminal(page).locator(".xterm-rows > div", { hasText: text }).first();
    const box = await row.boundingBox();
    if (!box) throw new Error(`${text} is not there`);
    const cell = box.width / Number((await terminal(page).getAttribute("data-size"))?.split("x")[0]);
    const col = (await row.textContent())?.indexOf(text) ?? 0;
    const touch = await page.context().newCDPSession(page);
    const touchPoints = [{ x: box.x + (col + 1.5) * cell, y: box.y + box.height / 2 }];
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
    const menu = page.getByRole("dialog", { name: "Terminal" });
    await menu.waitFor();
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    return menu;
  };

  test("a long press offers the links to web pages, with their targets, and no others", async () => {
    const house = await House.open();
    const other = await otherServer();
    const link = (target: string, text: string) => `\\033]8;;${target}\\033\\\\${text}\\033]8;;\\033\\\\\\n`;
    const lines = [
      `plain ${other}/plain\\n`,
      link(`${other}/hidden`, "underneath"),
      link("javascript:alert(1)", "dangerous"),
    ];
    const place = await house.quick(["sh", "-c", `printf '${lines.join("")}'; exec cat`]);
    const page = await visits.attached(house, place, PHONE);
    await shows(page, "dangerous");
    const menu = await hold(page, "dangerous");
    await menu.getByRole("button", { name: "Select text" }).waitFor();
    expect(await menu.getByRole("button").allInnerTexts()).toEqual(["Select text", "Paste"]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    for (const [text, target] of [
      ["http:", `${other}/plain`],
      ["underneath", `${other}/hidden`],
    ] as const) {
      const menu = await hold(page, text);
      await menu.getByText(target, { exact: true }).waitFor();
      const opened = page.context().waitForEvent("page");
      await menu.getByRole("button", { name: "Open link" }).tap();
      const tab = await opened;
      await eventually(() => tab.url()).toBe(target);
      expect(await tab.evaluate(() => window.opener)).toBe(null);
      await tab.close();
      await page.bringToFront();
    }
  });

  test("a long press shows the text for selecting; Paste asks before it types several lines", async () => {
    const house = await House.open();
    const long = "0123456789".repeat(9);
    const place = await house.quick(["sh", "-c", `echo; echo ${long}; exec cat`]);
    const page = await visits.attached(house, place, PHONE);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await shows(page, "0123456789");
    const menu = await hold(page, "0123456789");
    await menu.getByRole("button", { name: "Select text" }).tap();
    const sheet = page.getByRole("dialog", { name: "Text of the screen" });
    // A line that is too long for the screen is one line.
    expect(await sheet.locator("pre").textContent()).toBe(`\n${long}`);
    expect(await sheet.locator("pre").evaluate((pre) => getComputedStyle(pre).userSelect)).toBe("text");
    await sheet.getByRole("button", { name: "Copy all" }).tap();
    await eventually(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`\n${long}`);

    await page.evaluate(() => navigator.clipboard.writeText("one word"));
    await press(page, "Paste");
    await shows(page, /^one word/m);
    await press(page, "Enter");
    await page.evaluate(() => navigator.clipboard.writeText("first\nsecond\n"));
    await press(page, "Paste");
    const sure = page.getByRole("dialog", { name: "Paste 2 lines?" });
    await sure.getByRole("button", { name: "Cancel" }).tap();
    await (await hold(page, "one word")).getByRole("button", { name: "Paste" }).tap();
    await sure.getByRole("button", { name: "Paste" }).tap();
    await shows(page, /first\nsecond/);
    await sameScreen(house, page, place.worker);
  });

  test("a finger scrolls to older lines and back", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", "seq 1 400; exec cat"]);
    const page = await visits.attached(house, place, PHONE);
    await shows(page, "400");
    const touch = await page.context().newCDPSession(page);
    const swipe = (yDistance: number) =>
      touch.send("Input.synthesizeScrollGesture", {
        x: 195,
        y: 400,
        yDistance,
        speed: 4000,
        preventFling: true,
      });
    await swipe(300);
    await eventually(async () => (await seen(page)).rows.includes("400")).toBe(false);
    await page.getByRole("button", { name: "To the newest line" }).tap();
    await shows(page, "400");
  });
});
