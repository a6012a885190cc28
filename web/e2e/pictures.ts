/** Makes the pictures of the documents: `npm run pictures`. With `PICTURES=DIRECTORY` all of them go there instead. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { browser, eventually, goTo, PHONE, show, textIn } from "./browser";
import { House, suite } from "./house";
import { smaller } from "./png";
import { AGENTS, arrange, type Scene } from "./scene";

const INTO = process.env["PICTURES"];
const PLACE = INTO ?? "../docs/screenshots";

/** Those that the documents keep: each of these views on both devices in both themes, and one of the past. */
const KEPT = /^(home|wall|board|terminal)-|^past-desktop-dark$/;
const MOST_BYTES = 150_000;

/** The test's own directory is not a person's home: the pictures show what a person would see. */
async function asAtHome(page: Page, house: House): Promise<void> {
  const home = (text: string) =>
    text.replaceAll(house.home, "/home/ada").replaceAll(house.path("data"), "/home/ada/.local/share/abide");
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(typeof message === "string" ? home(message) : message));
  });
  await page.route(/\/api\//, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: home(await response.text()) });
  });
}

const VIEWS: Record<string, (page: Page, scene: Scene) => Promise<void>> = {
  home: async (page) => {
    await goTo(page, "#/");
    await page.getByText("Run npm test -- prices?").first().waitFor();
    await page
      .getByText("2 files changed", { exact: false })
      .first()
      .waitFor({ timeout: 3_000 })
      .catch(() => undefined);
  },
  wall: async (page, { shell, agent }) => {
    await goTo(page, "#/wall");
    for (const { worker } of [shell, agent]) {
      await eventually(() => textIn(page.locator(`[data-tile="${worker}"]`))).toMatch(/\S/);
    }
  },
  board: async (page) => {
    await goTo(page, "#/board");
    await page.getByText("Run npm test -- prices?").first().waitFor();
  },
  past: async (page, { shell }) => {
    await goTo(page, `#/past/${shell.worker}`);
    await page.getByRole("slider").waitFor();
    await page.keyboard.press(",");
    await page.keyboard.press("Shift+ArrowLeft");
    await eventually(() => textIn(page.locator(".past .stage"))).toMatch(/cart\.test/);
  },
  // Last, since it changes sizes.
  terminal: async (page, { agent, shell, vim }) => {
    if ((page.viewportSize()?.width ?? 0) < 720) return show(page, agent);
    await show(page, { session: shell.session, worker: vim });
    for (const keys of ["Alt+Shift+D", "Alt+Shift+E"]) {
      const panes = page.locator("section[data-worker][data-size]");
      const before = await panes.count();
      if (before < 3) {
        await page.keyboard.press(keys);
        await eventually(() => panes.count()).toBe(before + 1);
      }
    }
    await page.keyboard.press("Alt+Shift+H");
  },
};

suite("pictures", () => {
  const visits = browser();

  test("home, wall, board, terminal and past; light and dark; desktop and phone", {
    timeout: 240_000,
  }, async () => {
    const house = await House.open({ agents: AGENTS });
    const scene = await arrange(house);
    await mkdir(PLACE, { recursive: true });
    const heavy: string[] = [];
    const pages: { kind: string; page: Page }[] = [];
    for (const device of ["desktop", "phone"]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const options =
          device === "phone"
            ? { ...PHONE, deviceScaleFactor: 2 }
            : { viewport: { width: 1440, height: 900 } };
        const page = await visits.stranger({
          ...options,
          colorScheme,
          reducedMotion: "reduce",
        });
        // It has gone on for a while.
        await page.clock.setFixedTime(Date.now() + 47 * 60_000);
        await asAtHome(page, house);
        await page.goto(`${house.url}/${new URL(await house.link()).hash}`);
        await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
        pages.push({ kind: `${device}-${colorScheme}`, page });
      }
    }
    for (const [view, go] of Object.entries(VIEWS)) {
      for (const { kind, page } of pages) {
        const name = `${view}-${kind}`;
        if (!INTO && !KEPT.test(name)) continue;
        await page.bringToFront();
        await go(page, scene);
        // Fonts, last lines and sizes settle; there is no one thing to wait for.
        await page.waitForTimeout(800);
        const path = join(PLACE, `${name}.png`);
        const picture = smaller(await page.screenshot({ caret: "initial", animations: "disabled" }));
        await writeFile(path, picture);
        // No other viewer shall set the size of what the next one shows.
        await goTo(page, "#/settings");
        if (picture.length > MOST_BYTES) heavy.push(`${name}: ${picture.length} bytes`);
      }
    }
    if (INTO) console.info(heavy.join("\n"));
    else expect(heavy).toEqual([]);
  });
});
