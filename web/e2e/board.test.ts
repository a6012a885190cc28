/** Tasks, from a thought to done. */

import { expect, test } from "vitest";
import { browser, eventually, goTo, shows, textIn } from "./browser";
import { House, suite } from "./house";

/** An agent that works, asks, continues with the answer, and ends. It reports its status as agents do, with OSC 7501. */
const AGENT = `say() { printf '\\033]7501;%s\\033\\\\' "$1"; }
say state=working
echo "to do: $1"
say "state=blocked:kind=permission:msg=$(printf 'May I write greeting.txt?' | base64 -w0)"
read -r answer
say state=working
echo "answer was $answer" | tee greeting.txt
say state=idle
read -r _`;

suite("board", () => {
  const visits = browser();

  test("a person writes down a task, starts it, answers its agent's question and completes it, with the keyboard", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: AGENT }] });
    await house.repository("shop");
    const page = await visits.visit(house);
    await page.keyboard.press("g");
    await page.keyboard.press("b");
    await page.getByRole("button", { name: "Write the first task" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New task" }).waitFor();
    await page.keyboard.type("Greet each visitor");
    await page.getByLabel("Agent").selectOption("fake");
    await page.getByRole("textbox", { name: "What should be done" }).focus();
    await page.keyboard.press("Control+Enter");

    const active = page.getByRole("region", { name: "Active" });
    const card = active.locator("[data-task]", { hasText: "Greet each visitor" });
    await card.getByText("May I write greeting.txt?").waitFor();
    await card.getByText("asking", { exact: true }).waitFor();
    await eventually(() => page.title()).toMatch(/^\(1\)/);

    await card.getByRole("button", { name: "Answer" }).click();
    await shows(page, "to do: Greet each visitor");
    await page.keyboard.type("yes\n");
    await shows(page, "answer was yes");
    await eventually(() => page.title()).not.toMatch(/^\(1\)/);

    await goTo(page, "#/board");
    await card.getByText("idle", { exact: true }).waitFor();
    await card.getByRole("link").focus();
    await page.keyboard.press("d");
    // There is a file that is not committed.
    const sure = page.getByRole("dialog");
    await sure.waitFor();
    await sure.getByRole("button").last().click();
    const done = page.getByRole("region", { name: "Done" });
    await done.locator("[data-task]", { hasText: "Greet each visitor" }).waitFor();
    await eventually(async () =>
      (await house.api<{ status: string }[]>("GET", "/api/tasks")).map((task) => task.status),
    ).toEqual(["done"]);
    expect((await house.sessions()).flatMap((session) => session.workers)).toEqual([]);

    // What it did can be looked at still.
    await done.getByRole("link", { name: /Greet each/ }).click();
    const detail = page.getByRole("complementary", { name: /Greet each/ });
    const past = detail.getByRole("region", { name: "Past sessions" }).getByRole("listitem");
    await eventually(() => past.allInnerTexts()).toEqual([
      expect.stringMatching(/^(ended|failed)\n.*, for .*\nWatch/),
    ]);
    await past.getByRole("link", { name: "Watch" }).click();
    await eventually(() => textIn(page.locator(".stage"))).toContain("answer was yes");
  });
});
