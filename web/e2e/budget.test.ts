/** How much the page weighs, and how soon a screen is there. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { browser, drawn, eventually, text } from "./browser";
import { House, suite } from "./house";

const SITE = "dist/site";
const MOST_BYTES = 300 * 1000;

suite("budget", () => {
  const visits = browser();

  test("all scripts together are at most 300 kB, compressed", () => {
    const scripts = readdirSync(SITE, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".js"),
    );
    expect(scripts.length).toBeGreaterThan(0);
    const sizes = scripts.map((name) => gzipSync(readFileSync(join(SITE, name)), { level: 9 }).length);
    const sum = sizes.reduce((all, size) => all + size, 0);
    console.info(`${scripts.length} scripts, ${sum} bytes compressed`);
    expect(sum).toBeLessThanOrEqual(MOST_BYTES);
  });

  test("a worker's first screen is there two round trips after its socket opens: one proves both ends", async () => {
    const house = await House.open();
    const place = await house.quick(["sh", "-c", "seq 1 3000; echo the last line; exec cat"]);
    await house.prints(place.worker, "the last line");
    const page = await visits.visit(house);
    const happened: string[] = [];
    const isAttach = (url: string) => url.endsWith(`/api/workers/${place.worker}/attach`);
    page.on("websocket", (socket) => {
      if (!isAttach(socket.url())) return;
      happened.push("socket");
      socket.on("framesent", ({ payload }) =>
        happened.push(typeof payload === "string" ? "sent proof" : "sent"),
      );
      socket.on("framereceived", ({ payload }) =>
        happened.push(typeof payload === "string" ? "was sent proof" : `heard ${payload.length} bytes`),
      );
    });
    page.on("request", (request) => {
      const path = new URL(request.url()).pathname;
      // The icon of the side bar and the tab: the browser fetches it when it likes, and no screen waits for it.
      if (!isAttach(request.url()) && path !== "/icon.svg") happened.push(`asked for ${path}`);
    });
    await page.exposeFunction("painted", () => happened.push("painted"));
    await page.addInitScript(() => {
      const look = () => {
        const isPainted = /the last line/.test(
          document.querySelector(".xterm-rows:not([data-veil])")?.textContent ?? "",
        );
        if (isPainted) (window as unknown as { painted(): void }).painted();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    // A whole load of the page, with the worker's address, as from a bookmark.
    const address = `${new URL(page.url()).origin}/#/session/${place.session}/${place.worker}`;
    await page.goto("about:blank");
    await page.goto(address);
    await drawn(page, place.worker);
    await eventually(() => happened).toContain("painted");
    const until = happened.slice(happened.indexOf("socket"), happened.indexOf("painted"));
    console.info(until.join(", "));
    const said = until.filter((each) => each.startsWith("sent"));
    const firstHeard = until.findIndex((each) => each.startsWith("heard"));
    // Everything that the screen needs is said before anything is heard, and nothing else is asked for meanwhile.
    expect(until.slice(0, firstHeard)).toEqual([
      "socket",
      "was sent proof",
      "sent proof",
      "was sent proof",
      "sent",
    ]);
    expect(until.filter((each) => each.startsWith("asked"))).toEqual([]);
    // Afterwards it only acknowledges what it has shown.
    expect(said.length).toBeLessThanOrEqual(4);
    expect(await text(page)).toContain("the last line");
  });
});
