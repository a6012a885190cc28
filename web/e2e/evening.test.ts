/** An ordinary evening: many workers, some tabs of one browser, a reload and a server that was restarted. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { AWAY, browser, eventually, goTo, show, shows, terminal, textIn } from "./browser";
import { House, type Place, suite } from "./house";

/** All tiles are in sight. */
const TALL = { width: 1280, height: 1800 };

const live = (page: Page) => page.getByRole("status").filter({ hasText: "Live" }).waitFor();

/** Types a line into the terminal that a tab shows, and waits until `cat` has repeated it. */
async function type(page: Page, line: string): Promise<void> {
  await page.bringToFront();
  await page.locator('section[data-worker][data-attached="live"]').waitFor();
  await terminal(page).locator("textarea").focus();
  await page.keyboard.type(`${line}\n`);
  await shows(page, `${line}\n${line}`);
}

/** Waits until the wall shows each worker's line. */
async function onWall(page: Page, places: readonly Place[], line: string): Promise<void> {
  await page.bringToFront();
  for (const [number, { worker }] of places.entries()) {
    const tile = page.locator(`[data-tile="${worker}"]`);
    await eventually(() => textIn(tile)).toContain(`${line} ${number}\n${line} ${number}`);
  }
}

/** With `ABIDE_PICTURES` in the environment, what each step looks like is kept there. */
async function picture(page: Page, name: string): Promise<void> {
  const place = process.env["ABIDE_PICTURES"];
  if (place) await page.screenshot({ path: `${place}/${name}.png` });
}

suite("an evening", () => {
  const visits = browser();

  test("s18: eight workers and three tabs go on after a reload and after the server was killed", async () => {
    const house = await House.open();
    const said: string[] = [];
    const first = await house.quick(["cat"], "w0");
    const places: Place[] = [first];
    for (let number = 1; number < 8; number += 1) {
      const { id } = await house.terminal(first.session, ["cat"], `w${number}`);
      places.push({ session: first.session, worker: id });
    }
    const wall = await visits.visit(house, { excused: AWAY, viewport: TALL });
    wall.context().on("response", (answer) => {
      if (answer.status() >= 400) said.push(`${answer.status()} ${answer.url()}`);
    });
    await live(wall);
    const tabs: Page[] = [];
    for (const place of places.slice(0, 2)) {
      const tab = await wall.context().newPage();
      await tab.goto(house.url.replace("127.0.0.1", new URL(wall.url()).hostname));
      await live(tab);
      await show(tab, place);
      tabs.push(tab);
    }
    // The first tab goes from worker to worker, and then to the wall.
    for (const [number, place] of places.entries()) {
      await wall.bringToFront();
      await show(wall, place);
      await type(wall, `begun ${number}`);
    }
    for (const [number, tab] of tabs.entries()) await type(tab, `tab ${number}`);
    await goTo(wall, "#/wall");
    await onWall(wall, places, "begun");
    await picture(wall, "1-wall");
    for (const tab of [wall, ...tabs]) {
      await tab.bringToFront();
      await tab.reload();
      await live(tab);
    }
    await onWall(wall, places, "begun");
    for (const [number, tab] of tabs.entries()) await type(tab, `reloaded ${number}`);
    for (const times of [1, 2]) {
      await house.killServer();
      await house.start();
      for (const tab of [wall, ...tabs]) {
        await tab.bringToFront();
        await live(tab);
      }
      await onWall(wall, places, times === 1 ? "begun" : "again 1");
      await picture(wall, `2-restarted-${times}`);
      for (const [number, tab] of tabs.entries()) {
        await type(tab, `restarted ${times} ${number}`);
        await picture(tab, `3-tab-${number}-${times}`);
      }
      for (const [number, place] of places.entries()) {
        await wall.bringToFront();
        await show(wall, place);
        await type(wall, `again ${times} ${number}`);
      }
      await goTo(wall, "#/wall");
    }
    await onWall(wall, places, "again 2");
    await picture(wall, "4-wall");
    // Requests may find that the bond of the server before is over, and no limit is in the owner's way.
    expect(said.filter((line) => !line.startsWith("401 "))).toEqual([]);
  }, 240_000);
});
