/** Prompts: sent from the page, each once, with what becomes of them. */

import { expect, test } from "vitest";
import { isDoing, startTask, type Working } from "./asker";
import { browser, eventually, goTo, PHONE, show } from "./browser";
import { House, suite } from "./house";
import { TAKER } from "./taker";

const prompts = async (house: House) => (await house.wrote("home/prompts")).split("\n").filter(Boolean);

suite("prompts", () => {
  const visits = browser();

  const open = async (title: string): Promise<{ house: House; work: Working }> => {
    const house = await House.open({ agents: [TAKER] });
    const work = await startTask(house, await house.repository("shop"), title, "", TAKER.id);
    await isDoing(house, work, "idle");
    return { house, work };
  };

  test("a prompt is sent with the keyboard, and the page says that the agent has taken it up", async () => {
    const { house, work } = await open("Round the prices");
    const page = await visits.visit(house);
    await show(page, work);
    await page.keyboard.press("Alt+Shift+P");
    const dialog = page.getByRole("dialog", { name: "Prompt" });
    await dialog.getByRole("heading", { name: "Round the prices · shop, Taker" }).waitFor();
    // What was written and not sent is still there when the person comes back.
    await page.keyboard.type("now the tests");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.keyboard.press("Alt+Shift+P");
    expect(await dialog.getByRole("textbox").inputValue()).toBe("now the tests");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("taken up", { exact: true }).waitFor();
    expect(await prompts(house)).toEqual(["now the tests"]);
    expect(await dialog.getByRole("textbox").inputValue()).toBe("");
  });

  test("a prompt waits while the agent asks; the queue can be changed and emptied", async () => {
    const { house, work } = await open("Round the prices");
    await house.abide("send", work.worker, "--keys", "C-a");
    await isDoing(house, work, "asking");
    const page = await visits.visit(house);
    await page.locator(`[data-worker-row="${work.worker}"] [data-row]`).focus();
    await page.keyboard.press("p");
    const dialog = page.getByRole("dialog", { name: "Prompt" });
    const queue = dialog.getByRole("region", { name: "Prompts" }).getByRole("listitem");
    for (const text of ["first", "second", "third"]) {
      await dialog.getByRole("textbox").fill(text);
      await page.keyboard.press("Control+Enter");
      await queue.filter({ hasText: text }).waitFor();
    }
    await queue.filter({ hasText: "first" }).getByText("until its question is answered").waitFor();
    await queue.filter({ hasText: "first" }).getByRole("button", { name: "Edit" }).click();
    await dialog.getByRole("textbox", { name: "Text of the queued prompt" }).fill("first of all");
    await dialog.getByRole("button", { name: /^Change/ }).click();
    await queue.filter({ hasText: "first of all" }).waitFor();
    await queue.filter({ hasText: "third" }).getByRole("button", { name: "Remove" }).click();
    await eventually(() => queue.count()).toBe(2);
    if (process.env["ABIDE_PICTURES"])
      await page.screenshot({ path: `${process.env["ABIDE_PICTURES"]}/prompt-desktop.png` });
    expect(await prompts(house)).toEqual([]);
    await house.abide("send", work.worker, "--", "1");
    await eventually(() => prompts(house)).toEqual(["first of all", "second"]);
  });

  test("one prompt goes to several agents; on a phone it is sent from the inbox", async () => {
    const { house, work } = await open("Round the prices");
    const other = await startTask(house, await house.repository("infra"), "Rotate the keys", "", TAKER.id);
    await isDoing(house, other, "idle");
    // A turn that has ended is in the inbox.
    await house.abide("send", work.worker, "--keys", "C-w");
    await isDoing(house, work, "active");
    await house.abide("send", work.worker, "--keys", "C-o");
    const page = await visits.visit(house, PHONE);
    await goTo(page, "#/inbox");
    const entry = page.getByRole("listitem").filter({ hasText: "Round the prices" });
    await entry.getByRole("button", { name: "Prompt" }).tap();
    const dialog = page.getByRole("dialog", { name: "Prompt" });
    await dialog.getByRole("textbox").fill("write it down");
    await dialog.getByText("Send it to others too").tap();
    await dialog.getByRole("checkbox", { name: "Rotate the keys · infra" }).check();
    if (process.env["ABIDE_PICTURES"])
      await page.screenshot({ path: `${process.env["ABIDE_PICTURES"]}/prompt-phone.png` });
    await dialog.getByRole("button", { name: /^Send to 2/ }).tap();
    await eventually(() => prompts(house)).toEqual(["write it down", "write it down"]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
