/** Eight agents in three repositories, on a desktop, a tablet and a phone. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { browser, eventually, goTo, PHONE, show, textIn } from "./browser";
import { House, suite } from "./house";
import { MANY, startMany, TITLES } from "./many";

const DEVICES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 834, height: 1112 } },
  phone: { ...PHONE, deviceScaleFactor: 2 },
};

/** With `ABIDE_PICTURES` in the environment, what each view looks like is kept there. */
async function picture(page: Page, name: string): Promise<void> {
  const place = process.env["ABIDE_PICTURES"];
  if (!place) return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(900);
    await page.screenshot({ path: `${place}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

suite("many", () => {
  const visits = browser();

  test("every view names each agent by its task and repository, and fits the screen", async () => {
    const house = await House.open({ agents: MANY });
    const all = await startMany(house);
    for (const [device, options] of Object.entries(DEVICES)) {
      const page = await visits.visit(house, { ...options, colorScheme: "light", reducedMotion: "reduce" });
      const fits = async () => {
        const { width = 0 } = page.viewportSize() ?? {};
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      };
      await goTo(page, "#/inbox");
      const entries = page.getByRole("list", { name: "What waits for you" }).getByRole("heading");
      await eventually(() => entries.allInnerTexts()).toHaveLength(5);
      expect(await entries.allInnerTexts()).toEqual(
        expect.arrayContaining(["Rotate the certificates · infra"]),
      );
      await fits();
      await picture(page, `inbox-${device}`);

      await goTo(page, "#/");
      const rows = page.locator("[data-worker-row] [data-row]");
      const names = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label") ?? ""));
      await eventually(names).toHaveLength(all.length + 2);
      const titles = (await names()).map((name) => name.split(",")[0]);
      expect(titles).toEqual(expect.arrayContaining([...TITLES]));
      const agents = (await names()).filter((name) => !name.startsWith("shop, Terminal"));
      const bare = agents.map((name) => name.replace(/\d+/g, ""));
      expect(new Set(bare).size, "no two differ by a number alone").toBe(bare.length);
      await fits();
      await picture(page, `home-${device}`);
      await page.getByRole("button", { name: "By repository" }).click();
      await page.getByRole("region", { name: "handbook" }).waitFor();
      await fits();
      await picture(page, `home-repository-${device}`);
      await rows.first().focus();
      await page.keyboard.press("i");
      await page.getByRole("dialog", { name: "How abide knows" }).getByRole("table").waitFor();
      await picture(page, `explain-${device}`);
      await page.keyboard.press("Escape");

      await goTo(page, "#/wall");
      const tiles = page.locator("[data-tile] .name");
      await eventually(() => tiles.allTextContents()).toEqual(
        expect.arrayContaining(["Explain how refunds work · handbook", "Upgrade Postgres to 18 · infra"]),
      );
      const [asks] = all;
      await eventually(() => textIn(page.locator(`[data-tile="${asks?.worker}"]`))).toContain("npm install");
      await fits();
      await picture(page, `wall-${device}`);

      await goTo(page, "#/board");
      await page.locator("[data-task]").first().waitFor();
      await fits();
      await picture(page, `board-${device}`);
      await goTo(page, `#/board/${asks?.task}`);
      const detail = page.getByRole("complementary");
      await detail.getByRole("button", { name: /Yes, and don't ask again/ }).waitFor();
      await eventually(() => textIn(detail)).toContain("npm install");
      await fits();
      await picture(page, `task-${device}`);

      const [, works] = all;
      if (works) await show(page, works);
      await eventually(() => page.title()).toMatch(/^\(\d\) Keep people signed in .* · shop · abide$/);
      await fits();
      await picture(page, `session-${device}`);
      await goTo(page, "#/settings");
    }
  }, 240_000);
});
