/** Commands of a repository, seen before a person agrees to them. `PICTURES=DIRECTORY` keeps what they look like. */

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { browser, eventually, goTo, PHONE } from "./browser";
import { House, suite } from "./house";

const WAITS = "read -r _";
const PICTURES = process.env["PICTURES"];

/** A house with a repository that asks for commands, and a task of it. */
async function asking(setup: readonly string[], teardown: readonly string[] = []): Promise<House> {
  const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: WAITS }] });
  // A text in JSON is one in TOML, but for characters that TOML wants escaped.
  const list = (commands: readonly string[]) => JSON.stringify(commands).replaceAll("\u007f", "\\u007f");
  const projectId = await house.repository("shop", {
    ".abide.toml": `[worktree]\nsetup = ${list(setup)}\nteardown = ${list(teardown)}\n`,
  });
  await house.api("POST", "/api/tasks", { projectId, title: "Paint the door", agentId: "fake" });
  return house;
}

async function detail(page: Page): Promise<Locator> {
  await goTo(page, "#/board");
  // A phone shows one column at a time.
  const backlog = page.getByRole("button", { name: /^Backlog/ });
  if ((page.viewportSize()?.width ?? 0) < 720) await backlog.click();
  await page.locator(".columns [data-task]", { hasText: "Paint the door" }).getByRole("link").click();
  return page.getByRole("complementary", { name: "Task: Paint the door" });
}

/** The command in a box, read from what is drawn: marks are what they stand for. */
const drawn = (box: Locator) =>
  box.locator("code").evaluate((code) => {
    const copy = code.cloneNode(true) as Element;
    for (const count of copy.querySelectorAll("small, br")) count.remove();
    return (copy.textContent ?? "").replaceAll("␣", " ").replaceAll("⇥", "\t").replaceAll("↵", "\n");
  });

/** Whether all that is in a box is within it and within the window's width, and nothing of it is clipped. */
const isAllInSight = (box: Locator) =>
  box.locator("code").evaluate((code) => {
    const range = document.createRange();
    range.selectNodeContents(code);
    const frame = code.parentElement?.getBoundingClientRect();
    const isWithin = (rect: DOMRect) =>
      frame !== undefined &&
      rect.left >= frame.left &&
      rect.right <= frame.right + 0.5 &&
      rect.top >= frame.top &&
      rect.bottom <= frame.bottom + 0.5 &&
      rect.right <= innerWidth;
    const isClipped = code.scrollWidth > code.clientWidth || code.scrollHeight > code.clientHeight;
    return !isClipped && [...range.getClientRects()].every(isWithin);
  });

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, `${name}.png`), await page.screenshot({ animations: "disabled" }));
}

suite("consent", () => {
  const visits = browser();

  test("s29: every character of a command is in sight, on a desktop and on a phone, before a person agrees", async () => {
    const long = `echo ${"x".repeat(4000)}; touch PWNED`;
    const setup = [
      "npm ci",
      `make   deps${" ".repeat(24)}; touch PWNED`,
      "true\nbefore its removal: true\t# größe",
      long,
    ];
    const house = await asking(setup, ["docker compose down"]);
    for (const [kind, options] of [
      ["desktop", {}],
      ["phone", PHONE],
    ] as const) {
      const page = await visits.visit(house, options);
      const shown = (await detail(page)).getByRole("region", { name: "Commands to agree to" });
      const boxes = shown.getByRole("listitem");
      await eventually(() => boxes.count()).toBe(5);
      for (const [at, command] of [...setup, "docker compose down"].entries()) {
        expect(await drawn(boxes.nth(at))).toBe(command);
        expect(await isAllInSight(boxes.nth(at)), `${kind}: ${command.slice(0, 40)}`).toBe(true);
      }
      expect(await boxes.getByRole("heading").allInnerTexts()).toEqual([
        "In a new worktree, 1 of 4",
        "In a new worktree, 2 of 4",
        "In a new worktree, 3 of 4",
        "In a new worktree, 4 of 4",
        "Before its removal",
      ]);
      await boxes.nth(1).getByText("24 blanks").waitFor();
      await boxes.nth(2).getByText("Not ASCII: ö U+00F6, ß U+00DF").waitFor();
      await shown.scrollIntoViewIfNeeded();
      await boxes.nth(0).evaluate((box) => box.scrollIntoView({ block: "start" }));
      await picture(page, `consent-${kind}`);
      if (kind === "phone") {
        await shown.getByRole("button", { name: "Agree to these 5 commands" }).click();
        await shown.waitFor({ state: "detached" });
      }
      await page.context().close();
    }
  });

  test("s29: commands that a person could not see are not to be agreed to, and the page says why", async () => {
    for (const [hidden, words] of [
      [`true${" ".repeat(400)}; touch PWNED`, "its character 5 on it has 400 blanks in a row"],
      ["true \u3164; touch PWNED", "its character 6 is U+3164 (Hangul filler)"],
      ["touch\u00a0PWNED", "its character 6 is U+00A0 (no-break space)"],
      ["touch PWNED #\u202eeurt", "U+202E (direction embedding or override)"],
    ] as const) {
      const house = await asking([hidden]);
      const page = await visits.visit(house, { excused: /422/ });
      const panel = await detail(page);
      const refused = panel.getByRole("alert").filter({ hasText: ".abide.toml" });
      await refused.getByText(words).waitFor();
      await refused.getByText("line 2: command 1 of `setup`").waitFor();
      await refused.getByText("change the file").waitFor();
      expect(await panel.getByRole("button", { name: /^Agree/ }).count()).toBe(0);
      await refused.evaluate((box) => box.scrollIntoView({ block: "center" }));
      if (hidden.includes("\u3164")) await picture(page, "consent-refused");
      expect(existsSync(house.path("home/PWNED"))).toBe(false);
      await page.context().close();
    }
  });
});
