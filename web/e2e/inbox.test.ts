/** The inbox: what waits for a person, answered wherever the person sees it, and once. */

import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { answered, isDoing, press, STAND_IN, startTask } from "./asker";
import { browser, eventually, goTo, PHONE, show } from "./browser";
import { House, suite } from "./house";

const entries = (page: Page) => page.getByRole("list", { name: "What waits for you" }).getByRole("listitem");

/** The titles of the entries, from top to bottom. */
const titles = (page: Page) => entries(page).getByRole("heading").allInnerTexts();

const entry = (page: Page, title: string) => entries(page).filter({ hasText: title });

/** What the browser puts down when the server refuses an answer. */
const REFUSED = /answer\)$/;

const open = () => House.open({ agents: [STAND_IN] });

/** Waits until so many questions are in the inbox. */
async function asks(house: House, count: number): Promise<void> {
  const asking = async () =>
    (await house.api<{ reason: string }[]>("GET", "/api/inbox")).filter(({ reason }) => reason === "asking");
  await eventually(async () => (await asking()).length).toBe(count);
}

/** Holds back what the dashboard's socket says to pages, from `hold` until `release`. */
async function valve(page: Page): Promise<{ hold(): void; release(): void }> {
  let held: (() => void)[] | undefined;
  await page.routeWebSocket(/\/ws\/dashboard/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (held) held.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  return {
    hold() {
      held ??= [];
    },
    release() {
      const late = held ?? [];
      held = undefined;
      for (const send of late) send();
    },
  };
}

suite("inbox", () => {
  const visits = browser();

  test("questions are listed, the longest wait first, and answered with the keyboard alone; then nothing waits", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    const infra = await house.repository("infra");
    await startTask(house, shop, "Round the prices", "A");
    await asks(house, 1);
    await startTask(house, infra, "Rotate the certificates", "c");
    await asks(house, 2);
    await startTask(house, infra, "Clean up", "a");
    await asks(house, 3);

    const page = await visits.visit(house);
    await eventually(() => page.title()).toMatch(/^\(3\)/);
    await page.getByRole("navigation").getByLabel("3 waiting").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await eventually(() => titles(page)).toEqual([
      "Round the prices · shop",
      "Rotate the certificates · infra",
      "Clean up · infra",
    ]);
    const first = entry(page, "Round the prices");
    await first.getByText("Stand-in", { exact: true }).waitFor();
    await first.getByText("npm install left-pad", { exact: true }).waitFor();
    await first.getByText("Do you want to proceed?").waitFor();
    await first
      .getByText(/^for \d+ s$/)
      .or(first.getByText(/asking for \d+ s/))
      .first()
      .waitFor();

    // The focus is on the first one, and goes on to the next.
    await page.keyboard.press("Shift+Y");
    await eventually(() => answered(house)).toEqual([
      "npm install left-pad: Yes, and don't ask again for npm install",
    ]);
    await eventually(() => entries(page).count()).toBe(2);
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toContain("Rotate");
    await page.keyboard.press("2");
    await eventually(() => answered(house)).toContain("Where shall sessions be kept?: SQLite");
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toContain("Clean up");
    await page.keyboard.press("y");
    await eventually(() => answered(house)).toContain("npm test: Yes");
    // Its turn ends, and that is there to be read.
    const done = entry(page, "Clean up").getByText("finished");
    await done.waitFor();
    await entry(page, "Clean up").getByRole("link").focus();
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    await eventually(() => page.title()).toBe("Inbox · abide");
    expect(await answered(house)).toHaveLength(3);
  });

  test("an answer is given once, however often and wherever it is pressed", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    await startTask(house, shop, "Round the prices", "a");
    await asks(house, 1);
    const one = await visits.visit(house, { excused: REFUSED });
    const other = await visits.visit(house, { excused: REFUSED });
    const yes = (page: Page) => entry(page, "Round the prices").getByRole("button", { name: /Yes/ });
    for (const page of [one, other]) {
      await goTo(page, "#/inbox");
      await yes(page).waitFor();
    }
    // Both pages, and twice each, before any of them can have heard of the others.
    const twice = (button: Locator) =>
      button.evaluate((element: HTMLElement) => {
        element.click();
        element.click();
      });
    await Promise.all([twice(yes(one)), twice(yes(other))]);
    for (const page of [one, other]) await eventually(() => yes(page).count()).toBe(0);
    await eventually(() => answered(house)).toEqual(["npm test: Yes"]);
    const audit = await house.api<{ action: string }[]>("GET", "/api/audit");
    expect(audit.filter(({ action }) => action === "worker.answer")).toHaveLength(1);
  });

  test("while an answer is under way its buttons are disabled", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    await startTask(house, shop, "Round the prices", "a");
    await asks(house, 1);
    const page = await visits.visit(house);
    await goTo(page, "#/inbox");
    let go: () => void = () => {};
    const free = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route(/\/answer$/, async (route) => {
      await free;
      await route.continue();
    });
    const buttons = entry(page, "Round the prices")
      .getByRole("group", { name: "Answers" })
      .getByRole("button");
    await buttons.first().click();
    await entry(page, "Round the prices").getByText("Answering…").waitFor();
    for (const button of await buttons.all()) expect(await button.isDisabled()).toBe(true);
    expect(await answered(house)).toEqual([]);
    go();
    await eventually(() => answered(house)).toEqual(["npm test: Yes"]);
  });

  test("if the question has changed meanwhile, nothing is typed, and the page says so and shows the new one", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    const work = await startTask(house, shop, "Round the prices", "b");
    await asks(house, 1);
    const page = await visits.stranger({ excused: REFUSED });
    const { hold, release } = await valve(page);
    await page.goto(await house.link());
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await goTo(page, "#/inbox");
    await entry(page, "Round").getByText("rm -rf target").waitFor();
    const old = await house.api<{ id: string }[]>("GET", "/api/inbox");
    hold();
    // Answered at the desk; the next question looks much the same.
    await press(house, work, "2");
    await eventually(async () => (await house.api<{ id: string }[]>("GET", "/api/inbox"))[0]?.id).not.toBe(
      old[0]?.id,
    );
    await asks(house, 1);
    await entry(page, "Round").getByRole("button", { name: "Yes" }).click();
    await entry(page, "Round").getByText("It asks something else now. Nothing was typed.").waitFor();
    release();
    await entry(page, "Round").getByText("git push --force").waitFor();
    await entry(page, "Round").getByText("It asks something else now. Nothing was typed.").waitFor();
    expect(await answered(house)).toEqual(["rm -rf target: No"]);
    await entry(page, "Round").getByRole("button", { name: "2 No" }).click();
    await eventually(() => answered(house)).toEqual(["rm -rf target: No", "git push --force: No"]);
  });

  test("a question on a line is answered with words", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    await startTask(house, shop, "Name the branch", "y");
    await asks(house, 1);
    const page = await visits.visit(house);
    await goTo(page, "#/inbox");
    await entry(page, "Name the branch").getByRole("link").first().focus();
    await page.keyboard.press("r");
    await page.keyboard.type("fix/prices\n");
    await eventually(() => answered(house)).toEqual(["line: fix/prices"]);
  });

  test("an entry is set aside and taken up again; a turn that ended is read", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    await startTask(house, shop, "Round the prices", "a");
    const works = await startTask(house, shop, "Fix the links", "w");
    await asks(house, 1);
    await isDoing(house, works, "active");
    const page = await visits.visit(house);
    await goTo(page, "#/inbox");
    await press(house, works, ".");
    await entry(page, "Fix the links").getByText("finished").waitFor();
    await eventually(() => page.title()).toMatch(/^\(2\)/);
    await entry(page, "Fix the links").getByRole("button", { name: "Read" }).click();
    await eventually(() => titles(page)).toEqual(["Round the prices · shop"]);
    await entry(page, "Round the prices")
      .getByRole("button", { name: /^More for/ })
      .click();
    await page.getByRole("menuitem", { name: "Not for an hour" }).click();
    const aside = page.getByRole("region", { name: "Set aside" });
    await aside.getByText("Round the prices").waitFor();
    await eventually(() => page.title()).toBe("Inbox · abide");
    await page.reload();
    await aside.getByRole("button", { name: "Take up again" }).click();
    await eventually(() => titles(page)).toEqual(["Round the prices · shop"]);
  });

  test("several turns that ended are read at once; a question stays", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    await startTask(house, shop, "Round the prices", "a");
    for (const title of ["Fix the login", "Clean up"]) {
      const work = await startTask(house, shop, title, "w");
      await isDoing(house, work, "active");
      await press(house, work, ".");
    }
    const page = await visits.visit(house);
    await goTo(page, "#/inbox");
    await eventually(async () => (await titles(page)).length).toBe(3);
    await page.getByRole("button", { name: "Mark 2 finished as read" }).click();
    await eventually(() => titles(page)).toEqual(["Round the prices · shop"]);
  });

  test("a question is answered from a row of Home, a tile of the wall, a card of the board and a message", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    const work = await startTask(house, shop, "Round the prices", "a");
    const rests = await house.quick(["cat"], "rests");
    const page = await visits.visit(house);
    const next = async (keys: string, count: number) => {
      await eventually(async () => (await answered(house)).length).toBe(count);
      await isDoing(house, work, "idle");
      if (keys) await press(house, work, keys);
    };
    const row = page.locator(`[data-worker-row="${work.worker}"]`);
    await row.getByText("npm test").waitFor();
    await row.getByRole("button", { name: "Approve" }).click();
    await next("a", 1);

    await goTo(page, "#/wall");
    await page.locator(`[data-tile="${work.worker}"]`).getByRole("button", { name: "Deny" }).click();
    await next("A", 2);

    await goTo(page, "#/board");
    await page.locator(`[data-task="${work.task}"]`).getByRole("button", { name: "Always" }).click();
    await next("", 3);

    // Elsewhere a message tells of it; none tells of what is in view.
    const messages = page.getByRole("log", { name: "Messages" });
    await show(page, rests);
    await press(house, work, "a");
    await messages.getByText("Round the prices · shop").waitFor();
    await messages.getByText("npm test").waitFor();
    await messages.getByRole("button", { name: "Approve" }).click();
    await eventually(() => answered(house)).toEqual([
      "npm test: Yes",
      "npm test: No",
      "npm install left-pad: Yes, and don't ask again for npm install",
      "npm test: Yes",
    ]);
    // The message goes with the question, and the next one tells that its turn has ended.
    await messages.getByText("finished").waitFor();
    expect(await messages.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await goTo(page, "#/");
    await row.waitFor();
    await eventually(() => messages.getByText("Round the prices").count()).toBe(0);
  });

  test("several that begin to wait are one message, which leads to the inbox", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    const one = await startTask(house, shop, "Round the prices");
    const other = await startTask(house, shop, "Fix the links");
    const rests = await house.quick(["cat"], "rests");
    for (const work of [one, other]) await isDoing(house, work, "idle");
    const page = await visits.attached(house, rests);
    await press(house, one, "a");
    await press(house, other, "c");
    const messages = page.getByRole("log", { name: "Messages" });
    await messages.getByText("2 wait for you").waitFor();
    await messages.getByRole("link", { name: /Fix the links · shop/ }).click();
    await entry(page, "Fix the links").getByRole("button", { name: "Memory" }).waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toContain(
      "Fix the links",
    );
  });

  test("a person who looks at a turn's end in its terminal has read it", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    const work = await startTask(house, shop, "Round the prices", "w");
    await isDoing(house, work, "active");
    const page = await visits.attached(house, work);
    await press(house, work, ".");
    await eventually(() => page.title()).toMatch(/^\(1\)/);
    await page.mouse.move(400, 300);
    await eventually(() => page.title()).not.toMatch(/^\(1\)/);
    expect(await house.api("GET", "/api/inbox")).toEqual([]);
  });

  test("the panel explains how abide knows what a worker does, and follows it", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    const work = await startTask(house, shop, "Round the prices", "a");
    const page = await visits.visit(house);
    await page.locator(`[data-worker-row="${work.worker}"]`).getByText("asking").waitFor();
    await page.locator(`[data-worker-row="${work.worker}"] [data-row]`).focus();
    await page.keyboard.press("i");
    const panel = page.getByRole("dialog", { name: "How abide knows" });
    await panel.getByText("Round the prices · shop, Stand-in").waitFor();
    await panel.getByText(/abide believes its screen: it asks, and waits for your answer/).waitFor();
    await panel.getByText("Do you want to proceed?").waitFor();
    await panel.getByText("It was started as Stand-in.").waitFor();
    await press(house, work, "2");
    await panel.getByText(/abide believes its screen: it is done, and waits for your next prompt/).waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => panel.count()).toBe(0);
  });

  test("on a phone the inbox is the first tab, and a tap answers", async () => {
    const house = await open();
    const shop = await house.repository("shop");
    await startTask(house, shop, "Round the prices to whole cents and show them with two decimals", "A");
    await asks(house, 1);
    const page = await visits.visit(house, PHONE);
    const tabs = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    expect(await tabs.first().textContent()).toMatch(/Inbox\s*$/);
    await tabs.first().tap();
    const yes = entry(page, "Round the prices").getByRole("button", { name: "Yes", exact: false }).first();
    const box = await yes.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(40);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await yes.tap();
    await eventually(() => answered(house)).toEqual(["npm install left-pad: Yes"]);
    await page
      .getByRole("heading", { name: "Nothing waits for you" })
      .or(entry(page, "finished"))
      .first()
      .waitFor();
  });
});
