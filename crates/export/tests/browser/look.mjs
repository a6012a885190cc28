// Opens exported files in a browser without a network, and compares the shown rows with the expected ones.
//
// usage: node look.mjs DIRECTORY...
//
// A directory has the exported files and `expected.json`; screenshots are put beside them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { pictures } from "./picture.mjs";

let directory;
let expected;
const require = createRequire(import.meta.url);

const executablePath = execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
const flags = JSON.parse(readFileSync(new URL("../../../testkit/chromium.json", import.meta.url), "utf8"));
const browser = await chromium.launch({ executablePath, args: [...flags.always, "--disable-gpu"] });

/** How often a single step is taken. */
const STEPS = 8;

/** What went wrong in a page, or left it. */
const complaints = [];

async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true, ...options });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${file}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${file}: ${error}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) complaints.push(`${file} asked for ${request.url()}`);
  });
  const [name, moment] = (file ?? "").split("#");
  if (file) await page.goto(pathToFileURL(join(directory, name)).href + (moment ? `#${moment}` : ""));
  return page;
}

/** Whether this is the directory of which pictures are kept, and which is looked at in every light: that takes its time. */
const isFirst = () => directory === process.argv[2];

/** Keeps a picture for people to look at. */
async function shot(page, name) {
  if (isFirst()) await page.screenshot({ path: join(directory, `${name}.png`) });
}

const trimmed = (rows) => rows.map((row) => row.trimEnd());
const seconds = (ms) => ms / 1000;

/** The rows on the player's screen. */
const screen = (page) => page.$$eval("#rows > div", (rows) => rows.map((row) => row.textContent.trimEnd()));

async function sees(page, rows, when) {
  assert.deepEqual(await screen(page), trimmed(rows), when);
}

async function playerPage() {
  const page = await open("player.html", { colorScheme: "dark" });
  await page.getByRole("button", { name: "Play the recording" }).waitFor();
  assert.equal(await page.title(), expected.title.replace(/\s+/g, " "));
  await shot(page, "player-start-dark");

  // A link leads to a moment, and every moment asked for is the model's screen.
  for (const { ms, rows } of expected.screens) {
    await page.evaluate((time) => (location.hash = `#t=${time}`), seconds(ms));
    await page.waitForFunction((time) => document.getElementById("line").getAttribute("aria-valuenow") === time, seconds(ms).toFixed(1));
    await sees(page, rows, `at ${ms} ms`);
  }
  await shot(page, "player-dark");

  // Keys: the ends, single steps, five seconds.
  const now = async () => Number(await page.getByRole("slider").getAttribute("aria-valuenow"));
  await page.keyboard.press("End");
  await sees(page, expected.last, "at the end");
  await page.keyboard.press("Home");
  assert.equal(await now(), 0);
  const times = [...new Set(expected.times)];
  const states = new Map(expected.screens.map(({ ms, rows }) => [ms, rows]));
  const steps = Math.min(STEPS, times.length - 1);
  for (let i = 0; i < steps; i += 1) await page.keyboard.press(".");
  const reached = times[steps];
  assert.equal((await now()).toFixed(1), seconds(reached).toFixed(1), "some steps on");
  if (states.has(reached)) await sees(page, states.get(reached), "after some steps");
  await page.keyboard.press(",");
  assert.ok((await now()) <= seconds(reached) + 0.05);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await now(), Math.min(5, Number(seconds(times.at(-1)).toFixed(1))));

  // Markers are there, can be jumped to, and say what they are.
  const marks = await page.$$eval("#markers i", (marks) => marks.map((mark) => mark.title));
  assert.equal(marks.length, expected.markers.length);
  for (const [, , label] of expected.markers) assert.ok(marks.some((mark) => mark.endsWith(label)), label);
  await page.keyboard.press("Home");
  const first = expected.markers.find(([ms]) => ms > 0);
  if (first) {
    await page.keyboard.press("]");
    assert.equal((await now()).toFixed(1), seconds(first[0]).toFixed(1), "the next marker");
    await page.keyboard.press("[");
    assert.equal(await now(), 0, "the marker before");
  }

  // The time line can be clicked and dragged.
  const box = await page.getByRole("slider").boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 4 });
  assert.ok(Math.abs((await now()) - seconds(times.at(-1)) / 2) < 0.3);
  await shot(page, "player-seeking-dark");
  await page.mouse.up();

  // It plays by itself to the end, pauses being skipped.
  await page.keyboard.press("Home");
  await page.getByLabel("Speed").selectOption("16");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Play again" }).waitFor({ timeout: 20_000 });
  await sees(page, expected.last, "played to the end");

  // What stands on the screen is found.
  const word = expected.last.flatMap((row) => row.split(/\s+/)).find((word) => /^[a-z]{4,}$/i.test(word));
  if (word) {
    await page.keyboard.press("/");
    await page.keyboard.type(word);
    await page.keyboard.press("Enter");
    assert.match(await page.locator("#found").textContent(), /^\d+ \/ \d+$/);
    assert.ok((await screen(page)).some((row) => row.toLowerCase().includes(word.toLowerCase())), word);
    await shot(page, "player-find-dark");
  }
  await page.context().close();
  if (isFirst()) await otherLooks(seconds(times[Math.floor(times.length / 2)]));
}

/** The player in light, and on a phone. */
async function otherLooks(middle) {
  const light = await open(`player.html#t=${middle}`, { colorScheme: "light" });
  await light.locator("#note").waitFor({ state: "hidden" });
  await shot(light, "player-light");
  await light.context().close();
  const small = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
  const phone = await open(`player.html#t=${middle}`, { colorScheme: "dark", ...small });
  await phone.locator("#note").waitFor({ state: "hidden" });
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `a phone's page is ${wide} wide`);
  await shot(phone, "player-phone");
  await phone.context().close();
}

async function readingPage() {
  for (const colorScheme of isFirst() ? ["light", "dark"] : ["light"]) {
    const page = await open("page.html", { colorScheme });
    const text = await page.locator("main").innerText();
    for (const row of trimmed(expected.last)) {
      const words = row.split(/\s+/).filter(Boolean);
      assert.ok(words.every((word) => text.includes(word.slice(0, 20))), `${row} is not on the page`);
    }
    for (const link of await page.locator("main a").all()) {
      assert.match(await link.getAttribute("href"), /^https?:/);
      assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
      assert.equal(await link.getAttribute("title"), await link.getAttribute("href"));
    }
    assert.equal(await page.title(), expected.title.replace(/\s+/g, " "));
    await shot(page, `page-${colorScheme}`);
    await page.context().close();
  }
  if (!isFirst()) return;
  const phone = await open("page.html", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  await shot(phone, "page-phone");
  await phone.context().close();
}

async function elsewhere() {
  const page = await open(null);
  const bundle = join(require.resolve("asciinema-player"), "../bundle");
  await page.setContent("<!doctype html><title>cast</title><div id=player></div>");
  await page.addStyleTag({ path: join(bundle, "asciinema-player.css") });
  await page.addScriptTag({ path: join(bundle, "asciinema-player.min.js") });
  await page.evaluate(async (data) => {
    const player = AsciinemaPlayer.create({ data }, document.getElementById("player"), { preload: true, fit: false });
    await player.play();
    await player.pause();
    await player.seek("100%");
  }, readFileSync(join(directory, "recording.cast"), "utf8"));
  // It draws in its own time.
  const lines = ".ap-term .ap-line";
  const last = plain(expected.last).at(-1) ?? "";
  await page.waitForFunction(([lines, last]) => [...document.querySelectorAll(lines)].some((line) => line.textContent.includes(last)), [lines, last]);
  await shot(page, "asciinema");
  const rows = await page.$$eval(lines, (lines) => lines.map((line) => line.textContent.trimEnd()));
  assert.deepEqual(plain(rows), plain(expected.last), "in the asciinema player");
  await page.context().close();
}

/** The rows on which both agree: terminals differ in how wide they take emoji to be, and so in where such rows wrap. */
const plain = (rows) => rows.map((row) => row.trimEnd()).filter((row) => row && /^[\x20-\x7e]+$/.test(row));

try {
  for (directory of process.argv.slice(2)) {
    console.log(`looking at ${directory}`);
    expected = JSON.parse(readFileSync(join(directory, "expected.json"), "utf8"));
    await playerPage();
    await readingPage();
    await elsewhere();
    await pictures({ open, shot, directory, expected: { title: expected.title, ...expected.picture } });
  }
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
}
