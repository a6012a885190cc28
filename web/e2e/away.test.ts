/** What the page says when it hears nothing from the server any more, although no connection breaks. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { AWAY, browser, eventually, goTo, PHONE, show, terminal } from "./browser";
import { House, suite } from "./house";

suite("away", () => {
  const visits = browser();

  const strip = (page: Page) =>
    page.getByText(/The server does not answer: this is the state of \d+ (s|min) ago/);
  const side = (page: Page) => page.getByRole("navigation", { name: "Main" }).getByRole("status");

  test("o1: a server that falls silent is noticed in every view, and the age counts from its last word", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"], "calm");
    const page = await visits.visit(house, { excused: AWAY });
    const phone = await visits.visit(house, { ...PHONE, excused: AWAY });
    for (const hash of ["#/wall", "#/board", "#/search", `#/past/${place.worker}`, "#/"]) {
      await goTo(page, hash);
      await page.locator("h1, [data-stage]").first().waitFor();
    }
    const second = await page.context().newPage();
    await second.goto(`${new URL(page.url()).origin}/`);
    await show(second, place);
    await show(phone, place);
    await eventually(() => side(page).textContent()).toMatch(/Live/);

    const silentSince = Date.now();
    house.stopServer();
    // No connection breaks: the page finds out by itself.
    await strip(page).waitFor();
    const seenAt = Date.now();
    const [, age = ""] = /(\d+) s ago/.exec((await strip(page).textContent()) ?? "") ?? [];
    // What was heard last was heard before the server fell silent.
    expect(Number(age)).toBeGreaterThanOrEqual(Math.floor((seenAt - silentSince) / 1000) - 1);
    expect(await side(page).textContent()).toMatch(/Reconnecting · \d+ s/);
    for (const hash of ["#/wall", "#/board", "#/search", "#/settings"]) {
      await goTo(page, hash);
      await strip(page).waitFor();
    }
    await second.getByRole("tab", { name: /calm, live, as of \d+ s ago/ }).waitFor();
    for (const one of [second, phone]) {
      const footer = terminal(one).locator("footer");
      await eventually(() => footer.textContent()).toMatch(/reconnecting.*for (\d+) s/);
    }
    await phone.getByRole("heading", { name: /as of \d+ s ago/ }).waitFor();

    house.continueServer();
    await strip(page).waitFor({ state: "detached" });
    await eventually(() => side(page).textContent()).toMatch(/Live/);
    await second.locator('section[data-worker][data-attached="live"]').waitFor();
  });

  test("o1: a browser that goes offline asks at once whether the server is still there", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"], "calm");
    const page = await visits.visit(house, { excused: AWAY });
    const other = await page.context().newPage();
    await other.goto(`${new URL(page.url()).origin}/`);
    await show(other, place);
    await eventually(() => side(page).textContent()).toMatch(/Live/);
    await page.context().setOffline(true);
    await strip(page).waitFor();
    await other.locator('section[data-worker][data-attached="reconnecting"]').waitFor();
    await page.context().setOffline(false);
    await strip(page).waitFor({ state: "detached" });
    await other.locator('section[data-worker][data-attached="live"]').waitFor();
  });
});
