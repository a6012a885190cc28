/** All screens at once, and screens as they were. */

import { expect, test } from "vitest";
import { browser, eventually, goTo, sameScreen, shows, terminal, textIn } from "./browser";
import { House, suite } from "./house";

suite("wall and past", () => {
  const visits = browser();

  test("the wall shows every worker live, and Enter opens one", async () => {
    const house = await House.open();
    const one = await house.quick(["sh", "-c", "echo first here; exec cat"], "one");
    const two = await house.quick(["sh", "-c", "echo second here; exec cat"], "two");
    const page = await visits.visit(house);
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    const tile = (worker: string) => page.locator(`[data-tile="${worker}"]`);
    await eventually(() => textIn(tile(one.worker))).toContain("first here");
    await eventually(() => textIn(tile(two.worker))).toContain("second here");
    // The wall shows those of one repository, too.
    const shop = await house.repository("shop");
    const inShop = await house.quick(["cat"], "three", `${house.home}/shop`);
    await page.getByLabel("Repository", { exact: true }).selectOption(shop);
    await eventually(() =>
      page.locator("[data-tile]").evaluateAll((all) => all.map((each) => each.getAttribute("data-tile"))),
    ).toEqual([inShop.worker]);
    await page.getByLabel("Repository", { exact: true }).selectOption("");
    await house.abide("send", one.worker, "--enter", "news");
    await eventually(() => textIn(tile(one.worker))).toContain("news\nnews");
    // A viewer that only watches types nothing and takes no size.
    expect((await house.screen(one.worker)).rows.filter((row) => row !== "")).toEqual([
      "first here",
      "news",
      "news",
    ]);
    await tile(two.worker).getByRole("link").focus();
    await page.keyboard.press("Enter");
    await terminal(page, two.worker).waitFor();
    await sameScreen(house, page, two.worker);
  });

  test("keys and dragging show earlier screens on the time line; L goes back to live", async () => {
    const house = await House.open();
    const PAGE_BYTES = 118;
    // Most of a page are the blanks behind its text, so that few moments are in one that is half drawn.
    const prints =
      "for i in 1 2 3 4 5 6 7 8; do printf '\\033[2J\\033[Hpage %s of 8%100s' $i; sleep 0.15; done; exec cat";
    const place = await house.quick(["sh", "-c", prints]);
    const page = await visits.attached(house, place);
    await shows(page, "page 8 of 8");
    await page.keyboard.press("Alt+Shift+B");
    const stage = page.locator(".past .stage");
    const shown = async () => Number(/page (\d) of 8/.exec(await textIn(stage))?.[1]);
    await eventually(shown).toBe(8);
    for (const [key, leads] of [
      ["Space", "plays on to the end"],
      ["End", "is there at once"],
    ] as const) {
      await page.keyboard.press("Home");
      await eventually(() => textIn(stage)).not.toContain("page 8");
      await page.keyboard.press(key);
      await eventually(shown, { message: `${key} ${leads}` }).toBe(8);
      await page.getByRole("button", { name: "Play" }).waitFor();
    }

    // Along the output, where each page has as much room as the others, however long it stood.
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "by output" }).waitFor();
    const line = page.getByRole("slider", { name: "Moment in the recording" });
    const box = await line.boundingBox();
    if (!box) throw new Error("there is no time line");
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.95));
    await page.mouse.down();
    await page.mouse.move(...at(0.7), { steps: 4 });
    await page.mouse.move(...at(0.45), { steps: 4 });
    await eventually(shown).toBe(4);
    await page.mouse.move(...at(0.2), { steps: 4 });
    await eventually(shown).toBe(2);
    await page.mouse.up();
    // The moment is in the address, as soon as the hand rests: it can be kept, and shown to others.
    await eventually(() => Math.ceil(Number(/[?]at=(\d+)/.exec(page.url())?.[1]) / PAGE_BYTES)).toBe(2);
    await page.reload();
    await eventually(shown).toBe(2);

    await page.keyboard.press("l");
    await terminal(page, place.worker).waitFor();
    await shows(page, "page 8 of 8");
  });

  test("a time along the output that is only guessed is marked as a guess", async () => {
    const house = await House.open();
    // Time goes by of which no output tells.
    const prints = "printf '%0200d' 0; sleep 2.5; printf '%0200d the end' 0; exec cat";
    const place = await house.quick(["sh", "-c", prints]);
    await house.prints(place.worker, "the end");
    const page = await visits.attached(house, place);
    await page.keyboard.press("Alt+Shift+B");
    const line = page.getByRole("slider", { name: "Moment in the recording" });
    const box = await line.boundingBox();
    if (!box) throw new Error("there is no time line");
    const hover = () => page.mouse.move(box.x + box.width * 0.3, box.y + 27);
    await hover();
    await line.locator(".tip").waitFor();
    expect(await line.locator(".tip").textContent()).not.toContain("about");
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "by output" }).waitFor();
    await page.mouse.move(box.x, box.y - 40);
    await hover();
    await line
      .locator(".tip")
      .getByText(/^about /)
      .waitFor();
    await line
      .locator(".tip")
      .getByText(/^between \d\d:\d\d:\d\d and \d\d:\d\d:\d\d$/)
      .waitFor();
    await line.getByText(/^≈ /).first().waitFor();
  });

  test("search finds a word that was printed long ago and opens its moment", async () => {
    const house = await House.open();
    const prints = "seq 1 50; echo the needle; seq 51 2000; printf '\\033[2J\\033[Hall gone'; exec cat";
    const place = await house.quick(["sh", "-c", prints], "haystack");
    await house.prints(place.worker, "all gone");
    const page = await visits.visit(house);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("needle");
    const hit = page.getByRole("link", { name: /the needle/ });
    await hit.waitFor();
    expect(await page.locator("mark").first().textContent()).toBe("needle");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const stage = page.locator(".past .stage");
    await eventually(() => textIn(stage)).toMatch(/^the needle$/m);

    await goTo(page, "#/search?q=nowhere-to-be-found");
    await page.getByText("No output matches").waitFor();
  });
});
