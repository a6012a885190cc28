/** Accessibility: a checker looks for serious problems in every view. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { STAND_IN, startTask } from "./asker";
import { browser, drawn, eventually, goTo, PHONE, textIn } from "./browser";
import { House, suite } from "./house";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The problems that the checker finds in a page. */
async function findings(page: Page): Promise<string[]> {
  // By the debugger: the page itself lets no script in but its own.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const checker = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await checker.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, help, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id}: ${help}: ${target.join(" ")}: ${failureSummary ?? ""}`,
        ),
      );
  });
}

const ASKS = `printf '\\033]7501;state=blocked:kind=question:msg=%s\\033\\\\' "$(printf 'Which one?' | base64 -w0)"; read -r _`;

suite("access", () => {
  const visits = browser();

  for (const colorScheme of ["light", "dark"] as const) {
    test(`no serious findings in any view, ${colorScheme}`, async () => {
      const house = await House.open({ agents: [{ id: "asks", name: "Asks", script: ASKS }, STAND_IN] });
      const repository = await house.repository("shop");
      const task = (title: string) =>
        house.api<{ id: string }>("POST", "/api/tasks", { projectId: repository, title, agentId: "asks" });
      await task("Later");
      const { id } = await task("Now");
      await house.api("POST", `/api/tasks/${id}/activate`, {});
      await house.api("POST", `/api/tasks/${id}/session/start`, {});
      await startTask(house, repository, "Install", "A");
      await startTask(house, repository, "Name it", "y");
      const place = await house.quick(
        [
          "sh",
          "-c",
          "printf '\\033]133;A\\007$ \\033]133;C\\007'; seq 1 20; printf '\\033]133;D;1\\007needle\\n'; exec cat",
        ],
        "counts",
      );
      await house.terminal(place.session, ["sh", "-c", "echo bad; exit 3"], "broken");
      const page = await visits.visit(house, { colorScheme, reducedMotion: "reduce" });
      const found: Record<string, string[]> = {};
      const look = async (view: string) => {
        found[view] = await findings(page);
      };

      await page.getByText("Which one?").first().waitFor();
      await look("home");
      await page.locator("[data-row]").first().focus();
      await page.keyboard.press("i");
      await page.getByRole("dialog", { name: "How abide knows" }).getByRole("table").waitFor();
      await look("explanation");
      await page.keyboard.press("Escape");
      await page.keyboard.press("p");
      const prompt = page.getByRole("dialog", { name: "Prompt" });
      await prompt.getByRole("textbox").fill("And then the next one");
      await page.keyboard.press("Control+Enter");
      await prompt.getByText("queued", { exact: true }).waitFor();
      await look("prompt");
      await page.keyboard.press("Escape");
      await goTo(page, "#/inbox");
      await page.getByText("npm install left-pad").waitFor();
      await page.getByRole("textbox", { name: "Your answer" }).waitFor();
      await look("inbox");
      await goTo(page, "#/wall");
      await eventually(() => textIn(page.locator(`[data-tile="${place.worker}"]`))).toContain("needle");
      await look("wall");
      await goTo(page, "#/board");
      await page.getByText("asking", { exact: true }).first().waitFor();
      await look("board");
      await goTo(page, `#/board/${id}`);
      await page.getByRole("complementary", { name: "Task: Now" }).waitFor();
      await look("task");
      await page.keyboard.press("n");
      await page.getByRole("dialog", { name: "New task" }).waitFor();
      await look("new task");
      await page.keyboard.press("Escape");
      await goTo(page, `#/session/${place.session}/${place.worker}`);
      await drawn(page, place.worker);
      await look("session");
      await goTo(page, `#/past/${place.worker}`);
      await page.getByRole("slider").waitFor();
      await look("past");
      await goTo(page, "#/search?q=needle");
      await page.locator("mark").first().waitFor();
      await look("search");
      await goTo(page, "#/settings");
      await page.getByRole("heading", { name: "Settings" }).waitFor();
      await look("settings");
      await page.keyboard.press("Control+K");
      await page.getByRole("dialog").waitFor();
      await look("palette");

      const stranger = await visits.stranger({ colorScheme, reducedMotion: "reduce" });
      await stranger.goto(house.url);
      await stranger.getByRole("heading", { name: "Open abide in this browser" }).waitFor();
      found["sign-in"] = await findings(stranger);

      expect(Object.values(found).flat(), JSON.stringify(found, null, 1)).toEqual([]);
      expect(Object.keys(found)).toHaveLength(14);
    });
  }

  test("no serious findings while nothing has come from the server yet", async () => {
    const house = await House.open();
    const page = await visits.visit(house, {
      before: () => {
        // The dashboard's socket opens and says nothing.
        Object.assign(window, {
          WebSocket: class {
            send() {}
            close() {}
          },
        });
      },
    });
    await page.getByRole("status", { name: "Loading" }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test("no serious findings on a phone", async () => {
    const house = await House.open({ agents: [STAND_IN] });
    const place = await house.quick(["sh", "-c", "seq 1 20; exec cat"]);
    await startTask(house, await house.repository("shop"), "Install", "A");
    const page = await visits.visit(house, PHONE);
    const found = [await findings(page)];
    await goTo(page, "#/inbox");
    const asked = (place: Locator) => place.getByText("npm install left-pad");
    await asked(page.getByRole("region", { name: "Inbox" })).waitFor();
    // What is in sight needs no message over it.
    await eventually(() => asked(page.getByRole("log", { name: "Messages" })).count()).toBe(0);
    found.push(await findings(page));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await goTo(page, `#/session/${place.session}/${place.worker}`);
    await drawn(page, place.worker);
    found.push(await findings(page));
    expect(found.flat()).toEqual([]);
    // Nothing is wider than the phone.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
