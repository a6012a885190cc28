/** Home: the facts about each session and worker, and how a person restores a lost worker. */

import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { isDoing, STAND_IN, startTask } from "./asker";
import { browser, eventually, show, shows, terminal } from "./browser";
import { House, suite } from "./house";

suite("home", () => {
  const visits = browser();

  test("a worker's row shows its title, directory and last line; a session shows its branch or directory", async () => {
    const house = await House.open();
    const repositoryId = await house.repository("shop");
    const { id: worktreeId } = await house.api<{ id: string }>(
      "POST",
      `/api/repositories/${repositoryId}/worktrees`,
      { branch: "fix/prices" },
    );
    const wanted = { type: "worktree", repositoryId, worktreeId };
    const { session } = await house.api<{ session: { id: string } }>("POST", "/api/sessions", wanted);
    await house.api("PATCH", `/api/sessions/${session.id}`, { title: "Round the prices" });
    const program = await house.script(
      "prints.sh",
      "mkdir -p src && cd src\nprintf '\\033]0;rounding\\007first\\nthe last line\\n────\\n'\nread -r _\necho and one more\nread -r _",
    );
    const inWorktree = await house.terminal(session.id, [program], "prices");
    const place = await house.quick(["cat"], "elsewhere", house.home);

    const page = await visits.visit(house);
    await page.getByRole("button", { name: "By repository" }).click();
    const group = page.getByRole("region", { name: "shop", exact: true });
    const row = group
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: "Round the prices · shop, prices" }) });
    await row.getByText("fix/prices", { exact: true }).waitFor();
    await row.getByText("rounding", { exact: true }).waitFor();
    await row.getByText("./src", { exact: true }).waitFor();
    await row.getByText("the last line", { exact: true }).waitFor();
    await row.getByText(/^for /).waitFor();
    const elsewhere = page.getByRole("region", { name: "Other places" });
    await elsewhere.getByRole("link", { name: "home, elsewhere" }).waitFor();
    // A session with several workers has a heading, which says where it is.
    await house.terminal(place.session, ["cat"], "beside");
    const block = elsewhere.getByRole("group", { name: "home" });
    await block.getByText(house.home, { exact: true }).waitFor();
    await block.getByRole("link", { name: "home, beside" }).waitFor();
    // It follows.
    await house.abide("send", inWorktree.id, "--", "go\n");
    await row.getByText("and one more", { exact: true }).waitFor();
  });

  test("Home shows workers by state, repository and agent, and groups them as the person chose before", async () => {
    const house = await House.open({ agents: [STAND_IN] });
    const shop = await house.repository("shop");
    const infra = await house.repository("infra");
    const prices = await startTask(house, shop, "Round the prices", "a");
    const login = await startTask(house, shop, "Fix the login", "w");
    const keys = await startTask(house, infra, "Rotate the keys", "w");
    const shell = await house.quick(["cat"], "shell");
    for (const each of [login, keys]) await isDoing(house, each, "active");
    await isDoing(house, prices, "asking");

    const page = await visits.visit(house);
    const rows = async () =>
      page
        .locator("[data-worker-row]")
        .evaluateAll((all) => all.map((row) => row.getAttribute("data-worker-row")));
    const state = page.getByRole("group", { name: "State" });
    await state.getByRole("button", { name: "All 4" }).waitFor();
    await state.getByRole("button", { name: "Working 2" }).click();
    await eventually(rows).toEqual([login.worker, keys.worker]);
    await page.getByLabel("Repository", { exact: true }).selectOption({ label: "infra (1)" });
    await eventually(rows).toEqual([keys.worker]);
    // The numbers say what a press would show.
    await state.getByRole("button", { name: "Working 1" }).click();
    await page.getByLabel("Repository", { exact: true }).selectOption({ label: "All repositories" });
    await page.getByLabel("Agent").selectOption({ label: "Terminals (1)" });
    await eventually(rows).toEqual([shell.worker]);
    await page.getByRole("searchbox", { name: /Filter/ }).fill("nothing like it");
    await page.getByRole("button", { name: "Show all", exact: true }).click();
    await eventually(async () => (await rows()).length).toBe(4);

    await page.getByRole("button", { name: "By repository" }).click();
    await page.reload();
    await page.getByRole("region", { name: "infra", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "By repository" }).getAttribute("aria-pressed")).toBe(
      "true",
    );
  });

  test("the word of a state leads to how abide knows it, on Home and in a session", async () => {
    const house = await House.open({ agents: [STAND_IN] });
    const work = await startTask(house, await house.repository("shop"), "Round the prices", "a");
    await isDoing(house, work, "asking");
    const page = await visits.visit(house);
    const panel = page.getByRole("dialog", { name: "How abide knows" });
    const knows = (place: Locator) => place.getByRole("button", { name: "asking: how abide knows" });
    await knows(page.locator(`[data-worker-row="${work.worker}"]`)).click();
    await panel.getByRole("heading", { name: "Round the prices · shop, Stand-in" }).waitFor();
    await panel.getByRole("row", { name: /its screen it asks.* believed/ }).waitFor();
    await page.keyboard.press("Escape");
    await show(page, work);
    await knows(terminal(page)).click();
    await panel.getByText(/^abide believes its screen/).waitFor();
  });

  test("twenty workers fit on the screen of a laptop, a line each", async () => {
    const house = await House.open();
    for (let at = 0; at < 5; at += 1) {
      const place = await house.quick(["cat"], `first ${at}`);
      for (const name of ["second", "third", "fourth"])
        await house.terminal(place.session, at === 0 ? ["true"] : ["cat"], `${name} ${at}`);
    }
    const page = await visits.visit(house, { viewport: { width: 1440, height: 780 } });
    const rows = page.locator("[data-worker-row]");
    await eventually(() => rows.count()).toBe(20);
    await page.getByRole("region", { name: "Ended" }).waitFor();
    const last = await rows.last().boundingBox();
    expect(last && last.y + last.height).toBeLessThanOrEqual(780);
  });

  test("a lost worker says so and shows its output, and Continue starts its program again", async () => {
    const house = await House.open();
    const program = await house.script(
      "counts.sh",
      `echo x >> ${house.path("starts")}\necho start number $(wc -l < ${house.path("starts")})\nexec cat`,
    );
    const place = await house.quick([program], "counts");
    await house.prints(place.worker, "start number 1");
    const page = await visits.attached(house, place);
    await shows(page, "start number 1");
    await house.killHost(place.worker);
    const restore = page.getByRole("button", { name: "Continue" });
    await restore.waitFor();
    await page
      .getByText(/^Its host was killed.*\. Its output is kept; Continue starts its program again\.$/)
      .waitFor();
    await shows(page, "start number 1");

    await page.keyboard.press("Control+Shift+H");
    const row = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "counts" }) });
    await row.getByText("lost", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Continue" }).click();
    const messages = page.getByRole("log", { name: "Messages" });
    await messages.getByText("home, counts restarted.").waitFor();
    await messages.getByRole("button", { name: "Open" }).click();
    await shows(page, "start number 2");
    await eventually(() => page.getByRole("tab").allInnerTexts()).toEqual(["counts", "counts (earlier)"]);
    // The last screen of a lost worker can still be seen.
    await show(page, place);
    await shows(page, "start number 1");
    const workers = (await house.sessions()).flatMap(({ workers }) => workers);
    expect(workers.map(({ state }) => state.kind).sort()).toEqual(["live", "lost"]);
  });
});
