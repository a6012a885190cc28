/** Sizes, pastes and pictures. */

import { existsSync } from "node:fs";
import { mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  browser,
  drawn,
  eventually,
  focusTerminal,
  GRAPHICS,
  sameScreen,
  seen,
  shows,
  terminal,
} from "./browser";
import { House, suite } from "./house";

/** The smallest picture there is. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

const sizeShown = (page: Page) => terminal(page).getAttribute("data-size");
const isScaled = (page: Page) => terminal(page).getAttribute("data-scaled");

suite("session", () => {
  const visits = browser();

  test("v7: when another viewer owns the size, the page shows the whole screen, and Take over takes the size", async () => {
    const house = await House.open();
    const fills = await house.script(
      "fills.sh",
      `while :; do
  size=$(stty size)
  if [ "$size" != "$drawn" ]; then
    drawn=$size
    printf '\\033[2J\\033[H'
    seq -f 'row %g' 2 "\${size% *}"
    printf 'the last'
  fi
  sleep 0.05
done`,
    );
    const place = await house.quick([fills]);
    const small = await visits.attached(house, place, { viewport: { width: 900, height: 500 } });
    const own = await sizeShown(small);
    await shows(small, "the last");
    const large = await visits.attached(house, place, { viewport: { width: 1500, height: 1000 } });
    await eventually(() => sizeShown(small)).toBe(await sizeShown(large));
    expect(await sizeShown(large)).not.toBe(own);
    await eventually(() => isScaled(small)).toBe("true");
    expect(await isScaled(large)).toBe("false");
    await shows(small, "the last");
    expect((await sameScreen(house, small, place.worker)).rows).toEqual((await seen(large)).rows);
    // All of it is in sight, not only drawn.
    const inner = await small.locator(".xterm-screen").boundingBox();
    const outer = await terminal(small).locator(".stage").boundingBox();
    expect(inner && outer && inner.x + inner.width <= outer.x + outer.width + 1).toBe(true);
    expect(inner && outer && inner.y + inner.height <= outer.y + outer.height + 1).toBe(true);

    await small.getByRole("button", { name: "Take over" }).click();
    await eventually(() => sizeShown(small)).toBe(own);
    await eventually(() => isScaled(small)).toBe("false");
    await eventually(() => isScaled(large)).toBe("true");
    const { size } = await house.screen(place.worker);
    expect(`${size.cols}x${size.rows}`).toBe(own);
    await sameScreen(house, small, place.worker);
    await sameScreen(house, large, place.worker);
  });

  test("letters have the right width in every size, also with reduced motion", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", "echo 'the quick brown fox'; exec cat"]);
    const options = { reducedMotion: "reduce" } as const;
    const page = await visits.attached(house, place, { viewport: { width: 800, height: 500 }, ...options });
    await shows(page, "fox");
    /** By how many pixels letters are moved together or apart to fit their cells. */
    const spacing = () =>
      terminal(page)
        .locator(".xterm-rows")
        .evaluate((rows) => Math.abs(Number.parseFloat(getComputedStyle(rows).letterSpacing) || 0));
    expect(await spacing()).toBeLessThan(0.5);

    await visits.attached(house, place, { viewport: { width: 1500, height: 1000 }, ...options });
    await eventually(() => isScaled(page)).toBe("true");
    await eventually(spacing).toBeLessThan(0.5);
    await page.getByRole("button", { name: "Take over" }).click();
    await eventually(() => isScaled(page)).toBe("false");
    await eventually(spacing).toBeLessThan(0.5);
  });

  test("s28: the page asks before it pastes several lines, unless the program uses bracketed paste", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", `echo ready; exec tee ${house.path("got")}`]);
    const page = await visits.attached(house, place, CLIPBOARD);
    await shows(page, "ready");
    const paste = async (text: string) => {
      await page.evaluate((text) => navigator.clipboard.writeText(text), text);
      await page.keyboard.press("Control+V");
    };
    await paste("one line ");
    await shows(page, "one line");

    await paste("rm -r everything\nand more\n");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Paste 2 lines?").waitFor();
    await dialog.getByText("rm -r everything ⏎ and more").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The focus is back in the terminal, and nothing was pasted.
    await page.keyboard.type("typed\n");
    await eventually(() => house.wrote("got")).toBe("one line typed\n");

    await paste("first\nsecond\n");
    await dialog.getByRole("button", { name: "Paste" }).click();
    await eventually(() => house.wrote("got")).toBe("one line typed\nfirst\nsecond\n");

    // A program that asked for brackets gets them, and text cannot end them.
    await house.script(
      "bracketed.sh",
      `stty raw -echo; printf '\\033[?2004hbracketed'; exec cat > ${house.path("raw")}`,
    );
    const second = await house.quick([house.path("bracketed.sh")]);
    const other = await visits.attached(house, second, CLIPBOARD);
    await shows(other, "bracketed");
    await other.evaluate(() => navigator.clipboard.writeText("a\nb\x1b[201~c"));
    await other.keyboard.press("Control+V");
    await eventually(() => house.wrote("raw")).toBe("\x1b[200~a\rb[201~c\x1b[201~");
  });

  test("s16: a pasted or dropped picture is stored beside the worker, and its path is typed", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", `echo ready; exec tee ${house.path("got")}`]);
    const page = await visits.attached(house, place, CLIPBOARD);
    await shows(page, "ready");
    await page.evaluate(async (picture) => {
      const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
      const item = new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) });
      await navigator.clipboard.write([item]);
    }, PICTURE);
    await page.keyboard.press("Control+V");
    await shows(page, /\.png/);
    await page.keyboard.press("Enter");
    await eventually(() => house.wrote("got")).toMatch(/^\S+\.png \n$/);
    const pasted = (await house.wrote("got")).trim();

    await page.locator(".xterm-screen").evaluate((element, picture) => {
      const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], "../../evil name.png", { type: "image/png" }));
      element.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
      element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, PICTURE);
    await eventually(async () => {
      await page.keyboard.press("Enter");
      return house.wrote("got");
    }).toMatch(/^\S+\.png \n\n*\S+\.png \n/);
    const dropped = (await house.wrote("got")).trim().split(/\s+/).at(-1) ?? "";
    expect(dropped).not.toBe(pasted);
    for (const path of [pasted, dropped]) {
      expect(path.startsWith(house.path("data"))).toBe(true);
      expect(path).not.toContain("evil");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
  });

  test("s16: dropped files are stored beside the worker; directories and large files are refused with a reason", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", `stty -icanon; echo ready; exec tee ${house.path("got")}`]);
    const page = await visits.attached(house, place);
    await shows(page, "ready");
    await mkdir(house.path("a directory"));
    await writeFile(house.path("run me.sh"), "#!/bin/sh\n");
    await writeFile(house.path("Makefile"), "all:\n");
    await writeFile(house.path("film.mp4"), "");
    await truncate(house.path("film.mp4"), 11 * 1024 * 1024);
    const files = ["a directory", "run me.sh", "film.mp4", "Makefile"].map((name) => house.path(name));
    const { x = 0, y = 0, width = 0, height = 0 } = (await terminal(page).boundingBox()) ?? {};
    const mouse = await page.context().newCDPSession(page);
    const at = { x: x + width / 2, y: y + height / 2, data: { items: [], files, dragOperationsMask: 1 } };
    await mouse.send("Input.dispatchDragEvent", { type: "dragEnter", ...at });
    await mouse.send("Input.dispatchDragEvent", { type: "dragOver", ...at });
    await page.getByText("Drop files").waitFor();
    await mouse.send("Input.dispatchDragEvent", { type: "drop", ...at });

    await page.getByText("“a directory” is a directory").waitFor();
    await page.getByText("“film.mp4” has 11 MiB, but a file may have at most 10 MiB here").waitFor();
    await eventually(() => house.wrote("got")).toMatch(/^\S+\.sh \S+[^.\w]\w+ $/);
    const [script = "", plain = ""] = (await house.wrote("got")).trim().split(" ");
    expect(await readFile(script, "utf8")).toBe("#!/bin/sh\n");
    expect(await readFile(plain, "utf8")).toBe("all:\n");
    for (const path of [script, plain]) {
      expect(path.startsWith(house.path("data"))).toBe(true);
      expect(path).not.toMatch(/run|Makefile/);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
  });

  test("a second worker, the new order of tabs and a new name are there in the next browser too", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"], "first");
    const second = await house.terminal(place.session, ["cat"], "second");
    const page = await visits.attached(house, place);
    const names = (of: Page) => of.getByRole("tab").allTextContents();
    await eventually(() => names(page)).toHaveLength(2);
    await page.keyboard.press("Alt+Shift+PageDown");
    await eventually(async () => (await names(page)).map((name) => name.trim())).toEqual([
      expect.stringContaining("second"),
      expect.stringContaining("first"),
    ]);
    await page.keyboard.press("Alt+Shift+ArrowRight");
    await terminal(page, second.id).waitFor();
    await page.keyboard.type("for the second\n");
    await shows(page, /for the second\nfor the second/);
    await page.keyboard.press("Alt+Shift+D");
    await terminal(page, place.worker).waitFor();
    await page.keyboard.type("beside it\n");
    await eventually(async () => (await seen(page, place.worker)).rows).toContain("beside it");

    const other = await visits.attached(house, place);
    await eventually(() => names(other)).toEqual(await names(page));
    // Closing the page ends nothing.
    await other.context().close();
    const workers = (await house.sessions()).flatMap((session) => session.workers);
    expect(workers.map((worker) => worker.state.kind)).toEqual(["live", "live"]);
  });

  test("what the keys do is in the bar and in a menu, which a right click on a tab opens too", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"], "one");
    const other = await house.terminal(place.session, ["cat"], "two");
    const page = await visits.attached(house, place);
    const panes = page.locator("section[data-worker][data-size]");
    await page.getByRole("button", { name: "Split to the right" }).click();
    await eventually(() => panes.count()).toBe(2);
    await page.getByRole("button", { name: "Actions for home, two" }).click();
    await page.getByRole("menuitem", { name: "Close this pane" }).click();
    await eventually(() => panes.count()).toBe(1);
    await page.getByRole("button", { name: "Find in this terminal" }).click();
    await page.getByRole("textbox", { name: "Find in this terminal" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: /^two/ }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("second");
    await page.keyboard.press("Enter");
    const name = async () =>
      (await house.sessions()).flatMap(({ workers }) => workers).find(({ id }) => id === other.id)?.name;
    await eventually(name).toBe("second");
  });

  test("closing a tab ends its worker only after the person agreed", async () => {
    const house = await House.open();
    const program = await house.script("stays.sh", `echo $$ > ${house.path("pid")}\necho ready\nread -r _`);
    const place = await house.quick([program], "stays");
    const other = await house.terminal(place.session, ["cat"], "other");
    await house.prints(place.worker, "ready");
    const process = `/proc/${(await house.wrote("pid")).trim()}`;
    const page = await visits.attached(house, place);
    const tab = page.getByRole("tab", { name: /^stays/ });
    const sure = page.getByRole("dialog", { name: /^End “.*, stays”\?$/ });
    const gone = () => sure.waitFor({ state: "hidden" });
    const asks: (() => Promise<unknown>)[] = [
      () => page.keyboard.press("Alt+Shift+W"),
      () => tab.click({ button: "middle" }),
      () => tab.press("Delete"),
    ];
    const refusals = ["Escape", "Enter"];
    for (const [at, ask] of asks.entries()) {
      await ask();
      await sure.waitFor();
      // An Enter too many ends nothing either.
      await page.keyboard.press(refusals[at % 2] ?? "");
      await gone();
    }
    await focusTerminal(page);
    await shows(page, "ready");
    expect((await house.sessions()).flatMap(({ workers }) => workers.map(({ state }) => state.kind))).toEqual(
      ["live", "live"],
    );
    expect(existsSync(process), "its program runs").toBe(true);

    await tab.hover();
    await page.getByTitle("End stays").click();
    await sure.getByRole("button", { name: "End and delete" }).click();
    await tab.waitFor({ state: "hidden" });
    await drawn(page, other.id);
    await eventually(() => existsSync(process)).toBe(false);
    expect((await house.sessions()).flatMap(({ workers }) => workers.map(({ id }) => id))).toEqual([
      other.id,
    ]);
    // What is typed goes to the one that is shown now.
    await page.keyboard.type("and on\n");
    await shows(page, /and on\nand on/);
  });

  test("a split window is split the same after a reload", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"], "first");
    const second = await house.terminal(place.session, ["cat"], "second");
    const page = await visits.attached(house, place);
    await eventually(() => page.getByRole("tab").count()).toBe(2);
    await page.keyboard.press("Alt+Shift+E");
    await drawn(page, second.id);
    const where = async () => [
      await terminal(page, place.worker).boundingBox(),
      await terminal(page, second.id).boundingBox(),
    ];
    const before = await where();
    // The view is there before its workers are, as in every browser that has the files already.
    await page.routeWebSocket(/\/ws\/dashboard/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage(async (message) => {
        await page.waitForLoadState("networkidle");
        socket.send(message);
      });
    });
    await page.reload();
    await drawn(page, second.id);
    await drawn(page, place.worker);
    expect(await where()).toEqual(before);
    // The one that was not clicked yet has a cursor too.
    await eventually(() => terminal(page, place.worker).locator(".xterm-cursor-outline").count()).toBe(1);
    // The pane that had the attention has it again.
    await page.keyboard.type("still here\n");
    await eventually(async () => (await seen(page, second.id)).rows).toContain("still here");
  });
});

suite("with a graphics card", () => {
  const visits = browser(GRAPHICS);

  test("a terminal is drawn with it, takes keys and shows what they do", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", `echo ready; exec tee ${house.path("got")}`]);
    const page = await visits.attached(house, place, {
      // Chromium says these of every page that reads drawn pixels back.
      excused: /GPU stall|GL Driver Message/,
      // This one is drawn by the processor, which the page would rather not use.
      before: () => {
        const ask = WebGL2RenderingContext.prototype.getParameter;
        WebGL2RenderingContext.prototype.getParameter = function (
          this: WebGL2RenderingContext,
          what: number,
        ) {
          const about = 0x9246; // UNMASKED_RENDERER_WEBGL
          return what === about ? "a real one" : ask.call(this, what);
        };
      },
    });
    const canvas = terminal(page).locator(".xterm-screen canvas:not(.xterm-link-layer)").first();
    await canvas.waitFor();
    expect(await terminal(page).locator(".xterm-rows").count()).toBe(0);
    await house.prints(place.worker, "ready");
    const before = await terminal(page).screenshot();
    await page.keyboard.type("drawn\n");
    await eventually(() => house.wrote("got")).toBe("drawn\n");
    await eventually(async () => before.equals(await terminal(page).screenshot())).toBe(false);
  });
});
