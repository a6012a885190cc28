/** What goes wrong, and what a person notices of it. */

import { expect, test } from "vitest";
import { AWAY, browser, eventually, focusTerminal, sameScreen, shows, terminal, text } from "./browser";
import { House, suite } from "./house";

suite("hardships", () => {
  const visits = browser();

  test("p1: the server is killed and started again while somebody types: nothing is lost, nothing doubled", async () => {
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
    let typing = type(12);
    await shows(page, "got word3");
    await house.killServer();
    await typing;
    await state("reconnecting");
    // What is on the screen stays in sight meanwhile.
    expect(await text(page)).toContain("got word3");
    await type(6);
    typing = type(6);
    await house.start();
    await typing;
    await state("live");
    await type(4);

    // What may be missing is on the page, letter by letter: it was on its way when the server died.
    const remark = terminal(page).getByRole("status");
    await eventually(() => remark.textContent()).toMatch(/Reconnected after/);
    const said = (await remark.textContent()) ?? "";
    const doubtful = /not sent again: (.*)$/.exec(said.trim())?.[1]?.replaceAll("⏎", "\n") ?? "";
    console.info(`after the kill the page said: ${said.trim()}`);

    await eventually(() => house.wrote("got")).toMatch(new RegExp(`${words.at(-1)}\n$`));
    const typed = words.map((word) => `${word}\n`).join("");
    const got = await house.wrote("got");
    // Everything came but for (at most) what the page said may be missing, and that is at most one stretch.
    expect(possible(typed, doubtful), `the page said ${JSON.stringify(said)}`).toContain(got);
    // Without a kill in the round trip of a key nothing is doubtful: so it is at most a few keys.
    expect(doubtful.length).toBeLessThan(60);
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
    const loud = await house.quick([
      "sh",
      "-c",
      "echo ready; read go; seq 1 2700000; echo all said; exec cat",
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
    let answered = 0;
    while (!/all said/.test(await text(one))) {
      answered += 1;
      await two.keyboard.type(`word${answered}\n`);
      await shows(two, new RegExp(`word${answered}\nword${answered}(\n|$)`));
    }
    console.info(`${answered} words were answered while 20 MB were shown`);
    expect(answered).toBeGreaterThan(2);
    expect((await sameScreen(house, one, loud.worker)).rows).toContain("2700000");
    await sameScreen(house, two, calm.worker);
  });
});

/** All that can have arrived if some keys were on their way: those up to some key, and what was typed after them. */
function possible(typed: string, doubtful: string): string[] {
  if (doubtful === "") return [typed];
  const found: string[] = [];
  for (let at = typed.indexOf(doubtful); at >= 0; at = typed.indexOf(doubtful, at + 1)) {
    for (let came = 0; came <= doubtful.length; came += 1) {
      found.push(typed.slice(0, at + came) + typed.slice(at + doubtful.length));
    }
  }
  return found;
}
