/** The cards of the board: dragged and carried, pinned, refused, failed and tried again. */

import { rm, writeFile } from "node:fs/promises";
import type { Locator, Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { browser, eventually, goTo } from "./browser";
import { House, suite } from "./house";

const WAITS = 'echo "to do: $1"\nread -r _';

interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly pinned: boolean;
}

type Name = "Backlog" | "Active" | "Done";

async function write(house: House, ...titles: readonly string[]): Promise<void> {
  const projectId = await house.repository("shop");
  for (const title of titles) await house.api("POST", "/api/tasks", { projectId, title, agentId: "fake" });
}

const tasks = (house: House) => house.api<Task[]>("GET", "/api/tasks");

const column = (page: Page, name: Name) => page.getByRole("region", { name, exact: true });

/** The titles of a column's cards, from top to bottom. */
const titles = (page: Page, name: Name) => column(page, name).locator("[data-task] .title").allInnerTexts();

const card = (page: Page, title: string) => page.locator(".columns [data-task]", { hasText: title });

/** Takes a card with the mouse, and brings it above another one, or below it, or where a column is empty. */
async function drag(
  page: Page,
  title: string,
  to: Locator,
  where: "above" | "below" | "bottom",
): Promise<void> {
  const from = await box(card(page, title).locator("footer"));
  const end = await box(to);
  const y = { above: end.y + 3, below: end.y + end.height - 3, bottom: end.y + end.height - 20 }[where];
  await page.mouse.move(from.x + 20, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(from.x + 30, from.y + 15);
  await page.mouse.move(end.x + end.width / 2, y, { steps: 3 });
}

async function box(place: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = await place.boundingBox();
  if (!found) throw new Error("it is not in sight");
  return found;
}

/** Waits until the columns show these cards, and the server says the same. */
async function standAs(house: House, page: Page, wanted: Record<Name, readonly string[]>): Promise<void> {
  for (const name of ["Backlog", "Active", "Done"] as const) {
    await eventually(() => titles(page, name), { message: name }).toEqual(wanted[name]);
    await eventually(async () =>
      (await tasks(house))
        .filter(({ status }) => status === name.toLowerCase())
        .map(({ title }) => title)
        .sort(),
    ).toEqual([...wanted[name]].sort());
  }
}

suite("cards", () => {
  const visits = browser();

  test("a dragged card stays where it was dropped; a refused move says why, and a move that ends an agent asks first", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: WAITS }] });
    await write(house, "Paint the door", "Oil the hinges", "Sweep the floor");
    const page = await visits.visit(house);
    await goTo(page, "#/board");
    await standAs(house, page, {
      Backlog: ["Paint the door", "Oil the hinges", "Sweep the floor"],
      Active: [],
      Done: [],
    });

    // Within a column, and as it was after a reload.
    await drag(page, "Sweep the floor", card(page, "Paint the door"), "above");
    await page.mouse.up();
    await drag(page, "Paint the door", card(page, "Oil the hinges"), "below");
    await page.mouse.up();
    const order = ["Sweep the floor", "Oil the hinges", "Paint the door"];
    await standAs(house, page, { Backlog: order, Active: [], Done: [] });
    await page.reload();
    await standAs(house, page, { Backlog: order, Active: [], Done: [] });

    // Escape puts it back.
    await drag(page, "Oil the hinges", column(page, "Active"), "bottom");
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await standAs(house, page, { Backlog: order, Active: [], Done: [] });
    expect(new URL(page.url()).hash, "and it was no click").toBe("#/board");

    await drag(page, "Oil the hinges", column(page, "Active"), "bottom");
    await page.mouse.up();
    await drag(page, "Paint the door", card(page, "Oil the hinges"), "above");
    await page.mouse.up();
    await standAs(house, page, {
      Backlog: ["Sweep the floor"],
      Active: ["Paint the door", "Oil the hinges"],
      Done: [],
    });

    await drag(page, "Paint the door", column(page, "Backlog"), "bottom");
    await page.mouse.up();
    const messages = page.getByRole("log", { name: "Messages" });
    await messages.getByText("cannot go back to the backlog").waitFor();

    await drag(page, "Oil the hinges", column(page, "Done"), "bottom");
    await page.mouse.up();
    await standAs(house, page, {
      Backlog: ["Sweep the floor"],
      Active: ["Paint the door"],
      Done: ["Oil the hinges"],
    });
    await drag(page, "Oil the hinges", card(page, "Paint the door"), "below");
    await page.mouse.up();
    await standAs(house, page, {
      Backlog: ["Sweep the floor"],
      Active: ["Paint the door", "Oil the hinges"],
      Done: [],
    });

    // With an agent at work it is asked first, and stays where it is until then.
    await drag(page, "Sweep the floor", column(page, "Done"), "bottom");
    await page.mouse.up();
    const before = { Backlog: [], Active: ["Paint the door", "Oil the hinges"], Done: ["Sweep the floor"] };
    await standAs(house, page, before);
    await card(page, "Oil the hinges").getByRole("button", { name: "Start" }).click();
    await card(page, "Oil the hinges").getByText("live", { exact: true }).waitFor();
    const sure = page.getByRole("dialog", { name: "Finish, and end its agent?" });
    await drag(page, "Oil the hinges", card(page, "Sweep the floor"), "above");
    await page.mouse.up();
    await sure.waitFor();
    expect(await titles(page, "Active")).toEqual(before.Active);
    await sure.getByRole("button", { name: "Cancel" }).click();
    await standAs(house, page, before);
    await drag(page, "Oil the hinges", card(page, "Sweep the floor"), "above");
    await page.mouse.up();
    await sure.getByRole("button", { name: "Finish" }).click();
    await standAs(house, page, {
      Backlog: [],
      Active: ["Paint the door"],
      Done: ["Oil the hinges", "Sweep the floor"],
    });
    await eventually(async () => (await house.sessions()).length).toBe(0);
  });

  test("keys select, move, pin and delete cards, and a reload shows the same", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: WAITS }] });
    await write(house, "Paint the door", "Oil the hinges", "Sweep the floor");
    const page = await visits.visit(house);
    await goTo(page, "#/board");
    const all = ["Paint the door", "Oil the hinges", "Sweep the floor"];
    await standAs(house, page, { Backlog: all, Active: [], Done: [] });
    const focused = () =>
      page.evaluate(() =>
        document.activeElement?.closest("[data-task]")?.querySelector(".title")?.textContent?.trim(),
      );
    await card(page, "Paint the door").getByRole("link").focus();

    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await eventually(focused).toBe("Sweep the floor");
    await page.keyboard.press("Shift+ArrowUp");
    await standAs(house, page, {
      Backlog: ["Paint the door", "Sweep the floor", "Oil the hinges"],
      Active: [],
      Done: [],
    });
    await eventually(focused).toBe("Sweep the floor");

    // Pinned ones come first in any order; unpinned ones are where they were.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("p");
    const pinned = ["Oil the hinges", "Paint the door", "Sweep the floor"];
    await standAs(house, page, { Backlog: pinned, Active: [], Done: [] });
    await page.getByRole("link", { name: /^Oil the hinges.*pinned$/ }).waitFor();
    await eventually(focused).toBe("Oil the hinges");
    await page.reload();
    await standAs(house, page, { Backlog: pinned, Active: [], Done: [] });
    await page.getByRole("link", { name: /^Oil the hinges.*pinned$/ }).focus();
    await page.keyboard.press("p");
    await standAs(house, page, {
      Backlog: ["Paint the door", "Sweep the floor", "Oil the hinges"],
      Active: [],
      Done: [],
    });
    expect((await tasks(house)).filter((task) => task.pinned)).toEqual([]);

    await page.keyboard.press("Shift+ArrowRight");
    await standAs(house, page, {
      Backlog: ["Paint the door", "Sweep the floor"],
      Active: ["Oil the hinges"],
      Done: [],
    });
    await eventually(focused).toBe("Oil the hinges");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.getByRole("log", { name: "Messages" }).getByText("cannot go back to the backlog").waitFor();
    await eventually(focused).toBe("Oil the hinges");
    await page.keyboard.press("Shift+ArrowRight");
    await standAs(house, page, {
      Backlog: ["Paint the door", "Sweep the floor"],
      Active: [],
      Done: ["Oil the hinges"],
    });
    await eventually(focused).toBe("Oil the hinges");

    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Task: Oil the hinges" }).waitFor();
    await page.keyboard.press("Escape");
    await eventually(focused).toBe("Oil the hinges");
    await page.keyboard.press("Delete");
    const sure = page.getByRole("dialog", { name: "Delete this task?" });
    await sure.waitFor();
    await page.keyboard.press("Escape");
    await sure.waitFor({ state: "hidden" });
    await eventually(focused).toBe("Oil the hinges");
    await page.keyboard.press("Delete");
    await sure.getByRole("button", { name: "Delete" }).click();
    await standAs(house, page, { Backlog: ["Paint the door", "Sweep the floor"], Active: [], Done: [] });

    // A person who is faster than the server finds everything done, one after the other.
    const held = new Promise<Route>((hold) => page.route("**/api/tasks/*/activate", hold));
    await card(page, "Paint the door").getByRole("link").focus();
    await page.keyboard.press("Shift+ArrowRight");
    await eventually(() => titles(page, "Active")).toEqual(["Paint the door"]);
    await eventually(focused).toBe("Paint the door");
    await page.keyboard.press("Shift+ArrowRight");
    await eventually(() => titles(page, "Done")).toEqual(["Paint the door"]);
    await (await held).continue();
    await standAs(house, page, { Backlog: ["Sweep the floor"], Active: [], Done: ["Paint the door"] });
    await page.keyboard.press("Shift+ArrowLeft");
    await standAs(house, page, { Backlog: ["Sweep the floor"], Active: ["Paint the door"], Done: [] });
  });

  test("a task that cannot be started says why; Retry starts it, and its past sessions show the failure", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: WAITS }] });
    await write(house, "Paint the door");
    await rm(house.path("fake.sh"));
    const page = await visits.visit(house);
    await goTo(page, "#/board");
    const painted = card(page, "Paint the door");
    await painted.getByRole("link").focus();
    await page.keyboard.press("s");
    await painted.getByText("failed", { exact: true }).waitFor();
    const [why = ""] = await painted.locator(".text").allInnerTexts();
    expect(why).toMatch(/fake\.sh/);
    await painted.getByRole("link").click();
    const detail = page.getByRole("complementary", { name: "Task: Paint the door" });
    await detail.getByText(why).first().waitFor();
    await detail.getByText("Install the agent's program or choose another agent, then retry.").waitFor();

    await house.script("fake.sh", WAITS);
    await detail.getByRole("button", { name: "Retry" }).click();
    await painted.getByRole("button", { name: "Open" }).waitFor();
    await detail.getByText("to do: Paint the door").waitFor();
    const past = detail.getByRole("region", { name: "Past sessions" }).getByRole("listitem");
    await eventually(() => past.allInnerTexts()).toEqual([
      expect.stringMatching(
        /^failed\n.*, for .*\n\nThere is no command `.*fake\.sh`; check .* login shell\.$/,
      ),
    ]);

    // Once more, with an agent that is there: it is asked, and both are in the list, the last one first.
    await page.keyboard.press("r");
    const sure = page.getByRole("dialog", { name: "End its agent, and start over?" });
    await sure.getByRole("button", { name: "Start over" }).click();
    await eventually(() => past.allInnerTexts()).toEqual([
      expect.stringMatching(/^(ended|failed)\n.*, for .*\nWatch/),
      expect.stringMatching(/^failed\n/),
    ]);
  });

  test("a card names the agent that works on its task, also if the task names none", async () => {
    const house = await House.open();
    await house.script("home/claude", WAITS);
    await writeFile(house.path("home/.profile"), `PATH=${house.home}:$PATH\n`);
    const projectId = await house.repository("shop");
    await house.api("POST", "/api/tasks", { projectId, title: "Paint the door" });
    const page = await visits.visit(house);
    await goTo(page, "#/board");
    const painted = card(page, "Paint the door");
    await painted.getByRole("link").focus();
    await page.keyboard.press("s");
    await painted.getByText(/^Claude/).waitFor();
    await painted.getByRole("link").click();
    const detail = page.getByRole("complementary", { name: "Task: Paint the door" });
    await detail.getByRole("definition").getByText("Claude", { exact: true }).waitFor();
  });

  test("a start that hangs is cancelled from its card, with the keyboard, and when the task is completed", async () => {
    const house = await House.open({ agents: [{ id: "fake", name: "Fake", script: WAITS }] });
    const setup = '[ -e "$HOME/quick" ] || { echo $$ >"$HOME/hangs"; exec sleep 1000; }';
    const projectId = await house.repository("shop", {
      ".abide.toml": `[worktree]\nsetup = [${JSON.stringify(setup)}]\n`,
    });
    const provisioning = `/api/repositories/${projectId}/provisioning`;
    const { hash } = await house.api<{ hash: string }>("GET", provisioning);
    await house.api("POST", `${provisioning}/agree`, { hash });
    await house.api("POST", "/api/tasks", { projectId, title: "Paint the door", agentId: "fake" });
    const page = await visits.visit(house);
    await goTo(page, "#/board");
    const painted = card(page, "Paint the door");
    const cancel = painted.getByRole("button", { name: "Cancel" });

    /** Waits until the setup hangs, and gives what waits until it has ended. */
    const hangs = async () => {
      await painted.getByText("making its worktree").waitFor();
      await eventually(() => house.wrote("home/hangs")).toMatch(/^\d+\n$/);
      const pid = Number(await house.wrote("home/hangs"));
      await rm(house.path("home/hangs"));
      return () => eventually(async () => isAlive(pid)).toBe(false);
    };

    await painted.hover();
    await painted.getByRole("button", { name: "Start" }).click();
    const first = await hangs();
    await page.mouse.move(0, 0);
    await eventually(() => cancel.evaluate((button) => getComputedStyle(button).opacity)).toBe("1");
    expect(await cancel.getAttribute("title")).toContain("end its commands");
    await cancel.click();
    await painted.getByText("not started").waitFor();
    const messages = page.getByRole("log", { name: "Messages" });
    await messages.getByText("The start of “Paint the door” is cancelled.").waitFor();
    await first();

    await painted.getByRole("link").focus();
    await page.keyboard.press("s");
    const second = await hangs();
    await painted.getByRole("link").focus();
    await page.keyboard.press("c");
    await painted.getByText("not started").waitFor();
    await second();
    await painted.getByRole("link").click();
    const detail = page.getByRole("complementary", { name: "Task: Paint the door" });
    const past = detail.getByRole("region", { name: "Past sessions" }).getByRole("listitem");
    await eventually(() => past.allInnerTexts()).toEqual([
      expect.stringMatching(/^failed\n.*\n\nCancelled\.$/),
      expect.stringMatching(/^failed\n.*\n\nCancelled\.$/),
    ]);

    // The button in the detail is reached with Tab, like any other.
    await detail.getByRole("button", { name: "Start" }).click();
    const third = await hangs();
    await detail.getByRole("button", { name: "Cancel start" }).press("Enter");
    await painted.getByText("not started").waitFor();
    await third();

    await detail.getByRole("button", { name: "Start" }).click();
    const fourth = await hangs();
    await detail.getByRole("button", { name: "Finish" }).click();
    const sure = page.getByRole("dialog", { name: "Finish, and cancel its start?" });
    await sure.getByRole("button", { name: "Finish" }).click();
    await standAs(house, page, { Backlog: [], Active: [], Done: ["Paint the door"] });
    await fourth();
    expect(await house.sessions()).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
