/** What goes wrong, and what a person notices of it. */

import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { AWAY, browser, eventually, focusTerminal, sameScreen, shows, terminal, text } from "./browser";
import { House, suite } from "./house";

suite("hardships", () => {
  const visits = browser();

  test("p1: the server is killed and started again while a person types: nothing is lost, nothing doubled", async () => {
    const house = await House.open();
    const echoes = await house.script(
      "echoes.sh",
      `echo ready; while IFS= read -r word; do echo "$word" >> ${house.path("got")}; echo "got $word"; done`,
    );
    const place = await house.quick([echoes]);
    const page = await visits.attached(house, place, { excused: AWAY });
    await shows(page, "ready");
    const state = (kind: string) => page.locator(`section[data-worker][data-attached="${kind}"]`).waitFor();

    const words: string[] = [];
    /** As a person types: key by key, and not waiting for anything. */
    const type = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        const word = `word${words.length}`;
        words.push(word);
        await page.keyboard.type(`${word}\n`, { delay: 4 });
      }
    };
    for (const times of [1, 2, 3]) {
      const before = words.length;
      let typing = type(10);
      await shows(page, `got word${before + 2}`);
      await house.killServer();
      await typing;
      await state("reconnecting");
      // What is on the screen stays in sight meanwhile.
      expect(await text(page)).toContain(`got word${before + 2}`);
      await type(4);
      typing = type(4);
      await house.start();
      await typing;
      await state("live");
      await type(2);
      // The host knows how many of the sent bytes it has got, so nothing is in doubt.
      const remark = terminal(page).getByRole("status");
      await eventually(() => remark.textContent(), { message: `after kill ${times}` }).toMatch(
        /Reconnected after/,
      );
      expect(await remark.textContent()).not.toMatch(/not sent again/);
    }

    await eventually(() => house.wrote("got")).toMatch(new RegExp(`${words.at(-1)}\n$`));
    expect(await house.wrote("got")).toBe(words.map((word) => `${word}\n`).join(""));
    await sameScreen(house, page, place.worker);
  });

  test("p1: a server that is away while nothing is typed costs nothing at all", async () => {
    const house = await House.open();
    const ticks = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.05; done";
    const place = await house.quick(["sh", "-c", ticks]);
    const page = await visits.attached(house, place, { excused: AWAY });
    await shows(page, "tick 5");
    for (let times = 0; times < 3; times += 1) {
      await house.killServer();
      await page.locator('section[data-worker][data-attached="reconnecting"]').waitFor();
      await house.start();
      await page.locator('section[data-worker][data-attached="live"]').waitFor();
    }
    await eventually(() => terminal(page).getByRole("status").textContent()).toMatch(
      /Reconnected.*nothing lost/,
    );
    await house.abide("kill", "--signal", "STOP", place.worker);
    await sameScreen(house, page, place.worker);
    const numbers = [...(await text(page)).matchAll(/tick (\d+)/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
  });

  test("v1, o1: 20 MB of output in one tab; another tab's worker answers meanwhile; both screens are right in the end", async () => {
    const house = await House.open();
    const enough = house.path("enough");
    const loud = await house.quick([
      "sh",
      "-c",
      `echo ready; read go; seq 1 2700000; until [ -e ${enough} ]; do seq 1 10000; done; echo all said; exec cat`,
    ]);
    const calm = await house.quick(["cat"]);
    const one = await visits.attached(house, loud);
    const two = await one.context().newPage();
    await two.goto(`${new URL(one.url()).origin}/#/session/${calm.session}/${calm.worker}`);
    await two.locator("section[data-size]").waitFor();
    await shows(one, "ready");
    await one.bringToFront();
    await focusTerminal(one);
    await one.keyboard.press("Enter");
    await shows(one, /^\d{4,}$/m);
    await two.bringToFront();
    await focusTerminal(two);
    // The flood ends when this test says so: a word that waited for its end would never be answered.
    for (const word of ["one", "two", "three", "four", "five"]) {
      await two.keyboard.type(`${word}\n`);
      await shows(two, new RegExp(`${word}\n${word}(\n|$)`));
      // The loud tab shows numbers meanwhile. For a moment it is empty, while a snapshot is drawn.
      await shows(one, /^\d+$/m);
    }
    await writeFile(enough, "");
    await shows(one, "all said");
    expect((await sameScreen(house, one, loud.worker)).rows).toContain("all said");
    await sameScreen(house, two, calm.worker);
  });
});
