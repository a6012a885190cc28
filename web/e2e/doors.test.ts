/** Who gets in, and who does not. */

import { expect, test } from "vitest";
import { browser, eventually, shows } from "./browser";
import { House, otherServer, suite } from "./house";

suite("doors", () => {
  const visits = browser();

  test("s6: the link signs in once, and the code is not left in the address", async () => {
    const house = await House.open();
    const code = new URL(house.firstLink).hash.slice(1);
    const page = await visits.stranger();
    await page.goto(house.firstLink);
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    expect(page.url()).not.toContain(code);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.reload();
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    // Back leads to no address with the code in it either.
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);

    // The browser itself puts it down that the second one is refused.
    const late = await visits.stranger({ excused: /Failed to load resource.*40[013]/ });
    await late.goto(house.firstLink);
    await late.getByRole("heading", { name: "Open abide in this browser" }).waitFor();
    await late.getByRole("alert").waitFor();
    expect(late.url()).not.toContain(code);
    expect(await late.evaluate(() => localStorage.getItem("abide.token"))).toBeNull();

    // A link that is pasted is as good as one that is followed.
    await late.getByRole("textbox").fill(await house.link());
    await late.getByRole("button", { name: "Sign in" }).click();
    await late.getByRole("status").filter({ hasText: "Live" }).waitFor();
  });

  test("s3: a foreign page cannot attach, read or type, not even with the owner's token", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", `echo secret; exec cat > ${house.path("got")}`]);
    const token = await house.token();
    const own = await visits.attached(house, place);
    await shows(own, "secret");
    const origin = new URL(own.url()).origin;

    const foreign = await visits.stranger({ excused: /CORS|WebSocket|Failed to load|ERR_FAILED/ });
    await foreign.goto(await otherServer());
    for (const base of [origin, house.url]) {
      const heard = await foreign.evaluate(
        async ({ base, token, worker }) => {
          const ask = (path: string, options: RequestInit) =>
            fetch(base + path, options).then(
              (answer) => (answer.type === "opaque" ? "opaque" : `heard ${answer.status}`),
              () => "nothing",
            );
          const attach = () =>
            new Promise<string>((done) => {
              const socket = new WebSocket(`${base.replace("http", "ws")}/api/workers/${worker}/attach`);
              socket.onopen = () => done("open");
              socket.onmessage = () => done("heard something");
              socket.onerror = () => done("nothing");
            });
          const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
          const input = {
            method: "POST",
            headers,
            body: JSON.stringify({ type: "quick", locationPath: "/" }),
          };
          return [
            await ask("/api/sessions", {}),
            await ask("/api/sessions", { headers, credentials: "include" }),
            await ask("/api/sessions", input),
            await ask("/", { mode: "no-cors" }),
            await attach(),
          ];
        },
        { base, token, worker: place.worker },
      );
      expect(heard).toEqual(["nothing", "nothing", "nothing", "nothing", "nothing"]);
    }

    // Our own page noticed nothing, and still may.
    expect(await house.sessions()).toHaveLength(1);
    await own.keyboard.type("mine\n");
    await eventually(() => house.wrote("got")).toBe("mine\n");
  });
});
