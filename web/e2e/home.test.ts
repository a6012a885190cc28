/** Home: the facts about each session and worker, and how a person restores a lost worker. */

import { expect, test } from "vitest";
import { browser, eventually, show, shows } from "./browser";
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
    await house.quick(["cat"], "elsewhere", house.home);

    const page = await visits.visit(house);
    await page.getByRole("button", { name: "By repository" }).click();
    const group = page.getByRole("region", { name: "shop", exact: true });
    const block = group.getByRole("group", { name: "Round the prices" });
    await block.getByText("fix/prices", { exact: true }).waitFor();
    const row = block.getByRole("listitem");
    await row.getByText("rounding", { exact: true }).waitFor();
    await row.getByText("./src", { exact: true }).waitFor();
    await row.getByText("the last line", { exact: true }).waitFor();
    await row.getByText(/^for /).waitFor();
    await page.getByRole("region", { name: "Elsewhere" }).getByText(house.home, { exact: true }).waitFor();
    // It follows.
    await house.abide("send", inWorktree.id, "--", "go\n");
    await row.getByText("and one more", { exact: true }).waitFor();
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
