/** What every view says, whichever it is. */

import { expect, test } from "vitest";
import { AWAY, browser, eventually, goTo, PHONE } from "./browser";
import { House, suite } from "./house";

/** Asks, as agents do, and waits. */
const ASKS = ["sh", "-c", "printf '\\033]7501;state=blocked:kind=permission\\033\\\\'; echo asked; exec cat"];

suite("everywhere", () => {
  const visits = browser();

  test("the title of every view begins with the number of agents that ask", async () => {
    const house = await House.open();
    const place = await house.quick(ASKS, "asker");
    const page = await visits.visit(house);
    await eventually(() => page.title()).toBe("(1) abide");
    const views: [hash: string, heading: string, title: RegExp][] = [
      ["#/wall", "Wall", /^\(1\) Wall · abide$/],
      ["#/board", "Board", /^\(1\) Board · abide$/],
      ["#/search?q=asked", "Search", /^\(1\) Search: asked · abide$/],
      ["#/settings", "Settings", /^\(1\) Settings · abide$/],
      [`#/past/${place.worker}`, "home", /^\(1\) Past of home, asker · abide$/],
      [`#/session/${place.session}`, "home", /^\(1\) \S+ · abide$/],
    ];
    for (const [hash, heading, title] of views) {
      await goTo(page, hash);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      expect(await page.title(), hash).toMatch(title);
    }
  });

  test("leaving a view while it still draws its screens logs no error", async () => {
    const house = await House.open();
    const place = await house.quick(ASKS, "asker");
    const page = await visits.visit(house);
    const views = ["#/wall", `#/past/${place.worker}`, `#/session/${place.session}`];
    for (const hash of views) {
      await goTo(page, hash);
      await page.locator(".xterm-rows", { hasText: "asked" }).first().waitFor();
      await goTo(page, "#/settings");
    }
    // In the very instant in which there is a screen, in the next one, and so on.
    for (let wait = 0; wait < 6; wait += 1) {
      for (const hash of views) {
        await page.evaluate(
          async ([hash, wait]) => {
            location.hash = hash;
            await new Promise<void>((resolve) => {
              const observer = new MutationObserver(() => {
                if (!document.querySelector(".xterm")) return;
                observer.disconnect();
                resolve();
              });
              observer.observe(document.body, { childList: true, subtree: true });
            });
            for (let turn = 0; turn < wait; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
            location.hash = "#/settings";
          },
          [hash, wait] as const,
        );
        await page.locator(".xterm").waitFor({ state: "detached" });
      }
    }
    // When another screen is drawn, the earlier ones have been drawn too.
    await goTo(page, "#/wall");
    await page.locator(".xterm-rows", { hasText: "asked" }).first().waitFor();
  });

  test("an answer that comes after the person has left its view logs no error", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: ASKS.at(-1) ?? "" }] });
    const repository = await house.repository("shop");
    const task = { projectId: repository, title: "Greet them", agentId: "fake" };
    const { id } = await house.api<{ id: string }>("POST", "/api/tasks", task);
    const page = await visits.visit(house);
    const held: (() => void)[] = [];
    await page.route("**/session-logs", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    const asked = page.waitForRequest("**/session-logs");
    await goTo(page, `#/board/${id}`);
    await asked;
    await goTo(page, "#/settings");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    const answered = page.waitForResponse("**/session-logs");
    for (const go of held) go();
    await (await answered).finished();
    // The page has handled it when it answers another question.
    await goTo(page, "#/board");
    await page.locator("[data-task]", { hasText: "Greet them" }).waitFor();
  });

  test("a view that the person leaves does not call them back", async () => {
    const house = await House.open();
    const place = await house.quick(ASKS, "asker");
    const page = await visits.visit(house);
    await page.evaluate(async (hash) => {
      location.hash = hash;
      const rows = () => document.querySelector(".xterm-rows")?.textContent ?? "";
      while (!rows().includes("asked")) await new Promise((resolve) => setTimeout(resolve, 1));
      // The person leaves just when the past's own timer is due, and the browser tells of the new address after it.
      const held = performance.now() + 500;
      await new Promise<void>((resolve) => {
        setTimeout(() => {
          while (performance.now() < held);
        }, 100);
        setTimeout(() => {
          location.hash = "#/settings";
          resolve();
        }, 200);
      });
    }, `#/past/${place.worker}`);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(await page.evaluate(() => location.hash)).toBe("#/settings");
  });

  test("every view says that the server does not answer, and how old its content is", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: ASKS.at(-1) ?? "" }] });
    const repository = await house.repository("shop");
    const task = { projectId: repository, title: "Greet them", agentId: "fake" };
    const { id } = await house.api<{ id: string }>("POST", "/api/tasks", task);
    await house.api("POST", `/api/tasks/${id}/activate`, {});
    await house.api("POST", `/api/tasks/${id}/session/start`, {});
    const place = await house.quick(["cat"], "calm");
    const page = await visits.visit(house, { excused: AWAY });
    const phone = await visits.visit(house, { ...PHONE, excused: AWAY });
    await goTo(page, "#/board");
    const card = page.locator("[data-task]", { hasText: "Greet them" });
    await card.getByText("asking", { exact: true }).waitFor();
    // The parts of the views that are loaded when they are wanted are here before the server is not.
    for (const hash of ["#/wall", "#/board"]) {
      await goTo(phone, hash);
      await phone.locator("h1").waitFor();
    }
    await goTo(page, `#/session/${place.session}`);
    await page.getByRole("tab", { name: "calm, live" }).waitFor();
    await goTo(page, "#/wall");
    const tile = page.locator(`[data-tile="${place.worker}"]`);
    await tile.getByText("live", { exact: true }).waitFor();
    const side = page.getByRole("navigation", { name: "Main" });
    expect(await side.locator(".session .ok").count()).toBe(1);

    await house.killServer();
    const AGE = /, as of \d+ s ago$/;
    await tile.getByText(AGE).waitFor();
    expect(await page.locator(".tile.asking, .tile.ok").count()).toBe(0);
    expect(await side.locator(".session").locator(".ok, .asking").count()).toBe(0);
    await goTo(page, "#/board");
    await card.getByText(AGE).waitFor();
    await goTo(page, `#/session/${place.session}`);
    await page.getByRole("tab", { name: AGE }).waitFor();
    await phone.getByText(/The server does not answer: this is the state of \d+ s ago/).waitFor();

    await house.start();
    await page.getByRole("tab", { name: "calm, live" }).waitFor();
    await phone.getByText(/The server does not answer/).waitFor({ state: "detached" });
  });
});
