/** What every view says, whichever it is. */

import { expect, test } from "vitest";
import { browser, eventually, goTo } from "./browser";
import { House, suite } from "./house";

/** Asks, as agents do, and waits. */
const ASKS = ["sh", "-c", "printf '\\033]7501;state=blocked:kind=permission\\033\\\\'; echo asked; exec cat"];

suite("everywhere", () => {
  const visits = browser();

  test("how many ask stands before the name of every view in the title", async () => {
    const house = await House.open();
    const place = await house.quick(ASKS, "asker");
    const page = await visits.visit(house);
    await eventually(() => page.title()).toBe("(1) abide");
    const views: [hash: string, heading: string, title: RegExp][] = [
      ["#/wall", "Wall", /^\(1\) Wall · abide$/],
      ["#/board", "Board", /^\(1\) Board · abide$/],
      ["#/search?q=asked", "Search", /^\(1\) Search: asked · abide$/],
      ["#/settings", "Settings", /^\(1\) Settings · abide$/],
      [`#/past/${place.worker}`, "asker", /^\(1\) Past of asker · abide$/],
      [`#/session/${place.session}`, "home", /^\(1\) \S+ · abide$/],
    ];
    for (const [hash, heading, title] of views) {
      await goTo(page, hash);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      expect(await page.title(), hash).toMatch(title);
    }
  });
});
