/** What went wrong for people once, and must not again. */

import { expect, test } from "vitest";
import { isDoing, STAND_IN, startTask } from "./asker";
import { browser, eventually, goTo, shows, terminal } from "./browser";
import { House, suite } from "./house";

interface Task {
  readonly id: string;
  readonly workerId?: string;
  readonly sessionStatus?: string;
}

suite("defects", () => {
  const visits = browser();

  test("the palette finds tasks in every view", async () => {
    const house = await House.open({ agents: [STAND_IN] });
    const projectId = await house.repository("shop");
    await house.api("POST", "/api/tasks", { projectId, title: "Paint the door", agentId: STAND_IN.id });
    const page = await visits.visit(house);
    await page.keyboard.press("Control+K");
    await page.keyboard.type("paint door");
    await page.getByRole("option", { name: /^Paint the door · shop/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Task: Paint the door" }).waitFor();
  });

  test("a lost agent is called lost on Home, on the board and in its session, and Continue comes first", async () => {
    const house = await House.open({ agents: [STAND_IN] });
    const work = await startTask(house, await house.repository("shop"), "Paint the door");
    await isDoing(house, work, "idle");
    const page = await visits.visit(house);
    await page.locator(`[data-worker-row="${work.worker}"]`).getByText("idle").waitFor();
    await house.killHost(work.worker);
    const row = page.locator(`[data-worker-row="${work.worker}"]`);
    await row.getByText("lost", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Continue" }).waitFor();
    await goTo(page, "#/inbox");
    await page
      .getByRole("listitem")
      .filter({ hasText: "Paint the door" })
      .getByText("lost", { exact: true })
      .waitFor();
    await goTo(page, `#/session/${work.session}/${work.worker}`);
    await terminal(page).getByText("lost", { exact: true }).waitFor();
    await terminal(page).getByRole("button", { name: "Continue" }).waitFor();

    await goTo(page, `#/board/${work.task}`);
    const detail = page.getByRole("complementary", { name: "Task: Paint the door" });
    await detail.getByText("lost", { exact: true }).waitFor();
    await detail.getByText(/Continue starts its agent again/).waitFor();
    await page.keyboard.press("Escape");
    const card = page.locator(`[data-task="${work.task}"]`);
    await card.getByText("lost", { exact: true }).waitFor();
    expect(await card.getByText("failed").count()).toBe(0);
    await card.getByRole("button", { name: "Continue" }).click();
    await card.getByText("idle", { exact: true }).waitFor();
    const task = await house.api<Task>("GET", `/api/tasks/${work.task}`);
    expect(task.workerId, "another worker, in the same session").not.toBe(work.worker);
    expect(task.sessionStatus).toBe("running");
  });

  test("ending a worker keeps its recording unless the person wants it deleted", async () => {
    const house = await House.open();
    const program = await house.script("says.sh", "echo remember me\nread -r _");
    const place = await house.quick([program], "says");
    const other = await house.terminal(place.session, [program], "other");
    await house.prints(place.worker, "remember me");
    await house.prints(other.id, "remember me");
    const page = await visits.attached(house, place);
    const sure = page.getByRole("dialog");
    await page.getByRole("tab", { name: /^says/ }).press("Delete");
    await sure.getByRole("button", { name: "End and keep" }).click();
    await terminal(page)
      .getByText(/^(exited|ended by)/)
      .waitFor();
    await shows(page, "remember me");
    const states = async () =>
      (await house.sessions()).flatMap(({ workers }) =>
        workers.map(({ name, state }) => `${name} ${state.kind}`),
      );
    expect(await states()).toEqual(["says exited", "other live"]);
    await page.getByRole("tab", { name: /^other/ }).press("Delete");
    await sure.getByRole("button", { name: "End and delete" }).click();
    await eventually(states).toEqual(["says exited"]);
  });

  test("ending a session keeps its recordings unless the person wants them deleted", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"], "one");
    await house.terminal(place.session, ["cat"], "two");
    const page = await visits.visit(house);
    const states = async () =>
      (await house.sessions()).flatMap(({ workers }) => workers.map(({ state }) => state.kind));
    const menu = async (item: string) => {
      const row = page.locator(`[data-worker-row="${place.worker}"]`);
      await row.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await menu("End session…");
    await page.getByRole("dialog").getByRole("button", { name: "End and keep" }).click();
    await eventually(states).toEqual(["exited", "exited"]);
    await page.locator(`[data-worker-row="${place.worker}"]`).getByText("ended by").waitFor();
    await menu("Remove session…");
    await page.getByRole("dialog").getByRole("button", { name: "Remove session" }).click();
    await eventually(states).toEqual([]);
  });

  test("inverse text is legible in the light theme", async () => {
    const house = await House.open();
    const place = await house.quick([
      "sh",
      "-c",
      "printf '\\033[7minverse\\033[0m \\033[7;1mbold\\033[0m'; exec cat",
    ]);
    const page = await visits.attached(house, place, { colorScheme: "light" });
    await shows(page, "inverse bold");
    for (const word of ["inverse", "bold"]) {
      const color = await terminal(page)
        .locator(".xterm-rows span", { hasText: word })
        .first()
        .evaluate((span) => getComputedStyle(span).color);
      expect(color, word).toBe("rgb(255, 255, 255)");
    }
  });

  test("a path that is wrong stays in its dialog, with the reason", async () => {
    const house = await House.open();
    await house.repository("shop");
    const repositories = async () => (await house.api<{ id: string }[]>("GET", "/api/repositories")).length;
    const [known] = await house.api<{ id: string }[]>("GET", "/api/repositories");
    await house.api("DELETE", `/api/repositories/${known?.id}`);
    const page = await visits.visit(house, { excused: /api\/repositories\)/ });
    await goTo(page, "#/board");
    await page.getByRole("button", { name: "Add a repository" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a repository" });
    await dialog.getByRole("textbox").fill(`${house.home}/shpo`);
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByRole("textbox").inputValue()).toBe(`${house.home}/shpo`);
    await dialog.getByRole("textbox").fill(`${house.home}/shop`);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await eventually(repositories).toBe(1);
  });

  test("a new task gets an agent that is installed; others cannot be chosen", async () => {
    const house = await House.open({ agents: [STAND_IN] });
    await house.repository("shop");
    const agents = await house.agents();
    const missing = agents.find(({ installed }) => !installed);
    const page = await visits.visit(house);
    await goTo(page, "#/board");
    await page.getByRole("button", { name: "Write the first task" }).click();
    const choice = page.getByRole("dialog", { name: "New task" }).getByLabel("Agent");
    const installed = agents.filter(({ id, installed }) => installed && id !== "shell").map(({ id }) => id);
    await eventually(() => choice.inputValue().then((id) => installed.includes(id))).toBe(true);
    if (missing) expect(await choice.locator(`option[value="${missing.id}"]`).isDisabled()).toBe(true);
    expect(await choice.locator('option[value="shell"]').isDisabled()).toBe(false);
    await page.keyboard.press("Escape");

    await goTo(page, "#/");
    await page.getByRole("button", { name: "New", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByRole("radio", { name: STAND_IN.name }).waitFor();
    if (!missing) return;
    expect(await dialog.getByRole("radio", { name: missing.name }).count()).toBe(0);
    await dialog.getByText(/not installed$/).click();
    await dialog.getByText(new RegExp(`does not find.*${missing.name}`)).waitFor();
  });
});
