/** Terminals in a browser: typing, and the screens that it leads to. */

import { expect, test } from "vitest";
import {
  browser,
  drawn,
  eventually,
  focusTerminal,
  goTo,
  sameScreen,
  seen,
  show,
  shows,
  terminal,
  text,
} from "./browser";
import { House, otherServer, suite, which } from "./house";

suite("typing", () => {
  const visits = browser();

  test("a person makes a quick session in the page, types a command and sees its output", async () => {
    const house = await House.open();
    const page = await visits.visit(house);
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByRole("combobox", { name: "Directory" }).fill(house.home);
    await page.keyboard.press("Enter");
    await shows(page, /^\$ ?$/m);
    // It has the focus without a click.
    await page.keyboard.type("echo $((6 * 7)) apples\n");
    await shows(page, "42 apples");
    const [session] = await house.sessions();
    const worker = session?.workers[0];
    expect(worker?.state.kind).toBe("live");
    await sameScreen(house, page, worker?.id ?? "");
  });

  test("v8: with two tabs on one worker, keys typed in one show in the other", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"]);
    const one = await visits.attached(house, place);
    const two = await one.context().newPage();
    await two.goto(one.url());
    await drawn(two, place.worker);
    await two.bringToFront();
    await two.keyboard.type("from the second\n");
    await shows(one, /from the second\nfrom the second/);
    await one.bringToFront();
    await focusTerminal(one);
    await one.keyboard.type("from the first\n");
    await shows(two, /from the first\nfrom the first/);
    expect(await sameScreen(house, one, place.worker)).toEqual(await sameScreen(house, two, place.worker));
    await terminal(one)
      .getByTitle(/Also watching/)
      .waitFor();
  });

  test("o3: after a reload, and after closing and opening the page, screen, text and cursor are the same", async () => {
    const house = await House.open();
    const prints =
      "printf '\\033[1;31mred\\033[0m  w\\303\\266rter \\344\\275\\240\\345\\245\\275\\n'; seq 1 200; printf 'a\\tb\\033[3Cc'; printf '\\0337\\033[5;9H\\0338'; exec cat";
    const place = await house.quick(["sh", "-c", prints]);
    const page = await visits.attached(house, place);
    await shows(page, /200\na {7}b {3}c/);
    await page.keyboard.type("typed");
    await shows(page, "ctyped");
    const before = await sameScreen(house, page, place.worker);
    expect(before.cursor).toBeDefined();

    await page.reload();
    await drawn(page, place.worker);
    expect(await sameScreen(house, page, place.worker)).toEqual(before);

    const address = page.url();
    const context = page.context();
    await page.close();
    const again = await context.newPage();
    await again.goto(address);
    await drawn(again, place.worker);
    expect(await sameScreen(house, again, place.worker)).toEqual(before);

    // And in another browser.
    const elsewhere = await visits.attached(house, place);
    expect(await sameScreen(house, elsewhere, place.worker)).toEqual(before);
  });

  test("scrolling up leads to the first line, also in a terminal that was open when all of it was printed", async () => {
    const house = await House.open();
    const place = await house.quick([
      "sh",
      "-c",
      "echo first; read x; seq 14000; read x; seq 30000; exec cat",
    ]);
    const page = await visits.attached(house, place);
    await shows(page, "first");
    const toTheTop = async () => {
      await page.keyboard.press("Shift+Home");
      return text(page);
    };
    await page.keyboard.press("Enter");
    await shows(page, /^14000$/m);
    await eventually(toTheTop).toMatch(/^first\n\n1\n2\n/);
    const note = page.getByText("Older output is in the recording");
    expect(await note.count()).toBe(0);

    // What is more than a page can hold is in the recording, and it says so.
    await page.keyboard.press("Enter");
    await shows(page, /^30000$/m);
    await eventually(async () => {
      await toTheTop();
      return note.isVisible();
    }).toBe(true);
    expect(await text(page)).toMatch(/^\d\d\d\d+\n/);
  });

  test("find counts the matches in lines that have scrolled away and scrolls to them", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", "echo a needle; seq 300; echo another Needle; exec cat"]);
    const page = await visits.attached(house, place);
    await shows(page, "another Needle");
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("textbox", { name: "Find in this terminal" }).fill("needle");
    const result = terminal(page).locator(".bar [role=status]");
    await eventually(() => result.textContent()).toBe("2 of 2");
    expect(await text(page)).not.toContain("a needle");
    await page.keyboard.press("Enter");
    await eventually(() => result.textContent()).toBe("1 of 2");
    await shows(page, "a needle");
    await page.getByRole("button", { name: "Match case" }).click();
    await eventually(() => result.textContent()).toBe("1 of 1");
    await page.getByRole("button", { name: "Close the search" }).click();
    // The keys are the program's again.
    await page.keyboard.type("typed\n");
    await shows(page, /typed\ntyped/);
  });

  test("theme, font size and screen reader mode stay as set after a reload", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", "echo ready; exec cat"]);
    const page = await visits.visit(house, { colorScheme: "light" });
    await goTo(page, "#/settings");
    await page.getByText("Dark", { exact: true }).click();
    await page.getByRole("button", { name: "Larger" }).click();
    await page.getByRole("switch", { name: "For screen readers" }).check();
    const isSo = async () => {
      await shows(page, "ready");
      const looks = await terminal(page)
        .locator(".xterm-rows")
        .evaluate((rows) => ({
          font: getComputedStyle(rows).fontSize,
          page: getComputedStyle(document.documentElement).colorScheme,
        }));
      expect(looks).toEqual({ font: "14px", page: "dark" });
      await eventually(() => terminal(page).locator(".xterm-accessibility").textContent()).toContain("ready");
    };
    await show(page, place);
    await isSo();
    await page.reload();
    await drawn(page, place.worker);
    await isSo();
  });

  test.skipIf(which("vim") === undefined)(
    "vim in the browser: write, save, quit; its screen is the host's",
    async () => {
      const house = await House.open();
      const file = house.path("poem.txt");
      const place = await house.quick();
      const page = await visits.attached(house, place);
      await page.keyboard.type(`vim -u NONE -N ${file}\n`);
      await shows(page, /^~$/m);
      await page.keyboard.type("ione");
      await page.keyboard.press("Enter");
      await page.keyboard.type("two");
      await page.keyboard.press("Escape");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.type("Athree");
      await page.keyboard.press("Escape");
      await shows(page, /^onethree\ntwo$/m);
      await eventually(async () => (await seen(page)).cursor).toEqual({ col: 7, row: 0 });
      await sameScreen(house, page, place.worker);
      await page.keyboard.type(":w\n");
      await eventually(() => house.wrote("poem.txt")).toBe("onethree\ntwo\n");
      await sameScreen(house, page, place.worker);
      await page.keyboard.type(":q\n");
      // The shell's own screen is back.
      await shows(page, /vim -u NONE.*\n(.*\n)*\$ ?$/);
      await sameScreen(house, page, place.worker);
    },
  );

  test("text composed by an input method is typed once", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", `echo ready; exec tee ${house.path("got")}`]);
    const page = await visits.attached(house, place);
    await shows(page, "ready");
    await focusTerminal(page);
    const ime = await page.context().newCDPSession(page);
    const compose = async (...steps: string[]) => {
      for (const text of steps) {
        await ime.send("Input.imeSetComposition", {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        });
      }
    };
    await compose("k", "か", "かん", "かんじ", "漢字");
    await ime.send("Input.insertText", { text: "漢字" });
    await eventually(() => text(page)).toContain("漢字");
    await compose("´", "é");
    await ime.send("Input.insertText", { text: "é" });
    await page.keyboard.type(" ok");
    await page.keyboard.press("Enter");
    await eventually(() => house.wrote("got")).toBe("漢字é ok\n");
    await sameScreen(house, page, place.worker);
  });

  test("s20, s22, s23, o4: output writes no clipboard, opens no link, and only the host answers queries", async () => {
    const house = await House.open();
    const elsewhere = await otherServer();
    // The script sends every question that a terminal may be asked, then writes down the answers until a Z.
    const queries = [
      "[c",
      "[>c",
      "[6n",
      "[5n",
      "]11;?\\033\\\\",
      "]10;?\\007",
      "]52;c;?\\007",
      "P+q544e\\033\\\\",
      "[?u",
      "[18t",
    ];
    const asks = await house.script(
      "asks.sh",
      `stty raw -echo
printf '\\033]52;c;${btoa("stolen")}\\007\\033]8;;${elsewhere}/linked\\033\\\\follow me\\033]8;;\\033\\\\\\r\\n'
printf '${queries.map((query) => `\\033${query}`).join("")}'
printf '\\r\\nasked\\r\\n'
while IFS= read -r -N1 byte && [ "$byte" != Z ]; do printf %s "$byte" >> "$1"; done
echo end >> "$1"
exec cat`,
    );
    const alone = await house.quick([asks, house.path("alone")]);
    await house.prints(alone.worker, "asked");
    await house.abide("send", alone.worker, "Z");
    await eventually(() => house.wrote("alone")).toMatch(/end\n$/);

    const place = await house.quick();
    const page = await visits.visit(house, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    await show(page, place);
    await shows(page, "$");
    const opened: string[] = [];
    page.context().on("page", (other) => opened.push(other.url()));
    // The same size as the other, which some answers name.
    const { cols, rows } = (await house.screen(alone.worker)).size;
    await page.keyboard.type(`stty cols ${cols} rows ${rows}; exec ${asks} ${house.path("watched")}\n`);
    await shows(page, /^asked$/m);
    await page.keyboard.type("Z");
    await eventually(() => house.wrote("watched")).toMatch(/end\n$/);
    const kinds = (answers: string) => answers.replaceAll(/\d+/g, "n");
    expect(kinds(await house.wrote("watched"))).toBe(kinds(await house.wrote("alone")));

    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("mine");
    const link = page.locator(".xterm-rows span", { hasText: "follow me" }).first();
    // The emulator has a layer of its own above its letters.
    await link.hover({ force: true });
    await terminal(page).getByText(`${elsewhere}/linked`).waitFor();
    await link.click({ force: true });
    expect(opened).toEqual([]);
    const followed = page.context().waitForEvent("page");
    await link.click({ force: true, modifiers: ["Control"] });
    await (await followed).waitForURL(`${elsewhere}/linked`);
    expect(await (await followed).evaluate(() => window.opener)).toBeNull();
    expect((await seen(page)).rows[0]).toBeDefined();
  });
});
