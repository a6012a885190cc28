// What a browser shows of a picture, opened by itself and as an image of a page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The measures of a cell. */
const CELL = { width: 9, height: 18 };

/** Fonts whose letters are as wide as a cell, narrower, and wider. */
const FONTS = ["DejaVu Sans Mono", "Noto Sans Mono CJK SC", "DejaVu Sans"];

/** Stops everything at a time. */
const stopAt = (page, ms) =>
  page.evaluate((ms) => {
    for (const animation of document.getAnimations()) {
      animation.pause();
      animation.currentTime = ms;
    }
  }, ms);

/** The texts that are seen in the window, each with its row and the places of its characters, in cells. */
const seen = (page) =>
  page.evaluate((cell) => {
    const screen = document.querySelector("svg > svg");
    // The box that a browser gives for it has all that lies outside of the window too.
    const upper = document.documentElement.getBoundingClientRect().top + screen.y.baseVal.value;
    const rows = screen.height.baseVal.value / cell.height;
    const texts = [];
    for (const text of screen.querySelectorAll("text")) {
      const { top, bottom } = text.getBoundingClientRect();
      const row = Math.floor(((top + bottom) / 2 - upper) / cell.height);
      if (getComputedStyle(text).visibility !== "visible" || row < 0 || row >= rows) continue;
      const places = [];
      for (let i = 0; i < text.getNumberOfChars(); i += 1) places.push(text.getStartPositionOfChar(i).x / cell.width);
      texts.push({ row, text: text.textContent, places });
    }
    return { rows, texts };
  }, CELL);

async function sees(page, expected, when) {
  const { rows, texts } = await seen(page);
  const screen = Array.from({ length: rows }, () => "");
  for (const { row, text } of texts) {
    assert.equal(screen[row], "", `one text in row ${row} ${when}`);
    screen[row] = text.trimEnd();
  }
  assert.deepEqual(screen, expected.map((row) => row.trimEnd()), when);
}

/** Every character is in its column, to a fifth of it, whichever font it comes from: a narrow letter stands at the right end of a row. */
async function standsInColumns(page, columns, font) {
  const { texts } = await seen(page);
  for (const { row, text, places } of texts) {
    columns[row].forEach((column, i) => {
      if (column === null || i >= text.length) return;
      // Letters of fonts that are not for terminals are as wide as they are; only the row as a whole is held.
      if (font === "DejaVu Sans" && /^[\x20-\x7e]*$/.test(text)) return;
      assert.ok(Math.abs(places[i] - column) < 0.2, `${font}: ${JSON.stringify(text[i])} of ${JSON.stringify(text)} is at ${places[i]}, not ${column}`);
    });
  }
}

async function opened({ open, shot, expected }) {
  const page = await open("picture.svg");
  assert.equal(await page.evaluate(() => document.documentElement.nodeName), "svg");
  assert.equal(await page.evaluate(() => document.querySelectorAll("script, parsererror, image, use, foreignObject").length), 0);
  assert.equal(await page.evaluate(() => document.querySelector("title").textContent), expected.title);
  for (const { ms, rows } of expected.screens) {
    await stopAt(page, ms);
    await sees(page, rows, `at ${ms} ms`);
  }
  await shot(page, "picture");

  // The last screen: columns, and what can be selected.
  await stopAt(page, expected.screens.at(-1).ms);
  const sheet = await page.evaluateHandle(() => {
    const sheet = document.createElementNS("http://www.w3.org/2000/svg", "style");
    return document.documentElement.appendChild(sheet);
  });
  for (const font of FONTS) {
    await sheet.evaluate((sheet, font) => (sheet.textContent = `svg > svg text { font-family: "${font}" !important }`), font);
    await standsInColumns(page, expected.columns, font);
  }
  await sheet.evaluate((sheet) => sheet.remove());
  const selected = await page.evaluate(() => {
    getSelection().selectAllChildren(document.documentElement);
    return getSelection().toString();
  });
  for (const row of expected.screens.at(-1).rows) assert.ok(selected.includes(row.trimEnd()), `${row} cannot be selected: ${selected}`);
  for (const { words, fill, behind } of expected.looks) {
    const look = await page.evaluate((words) => {
      const span = [...document.querySelectorAll("tspan")].find((span) => span.textContent === words && getComputedStyle(span).visibility === "visible");
      const box = span.getBoundingClientRect();
      const rects = [...document.querySelectorAll("svg > svg rect:not(.c)")].filter((rect) => {
        const around = rect.getBoundingClientRect();
        return around.left <= box.left + 1 && around.right >= box.right - 1 && around.top <= box.top + 9 && around.bottom >= box.bottom - 9;
      });
      return { fill: getComputedStyle(span).fill, behind: rects.map((rect) => getComputedStyle(rect).fill).at(-1) ?? null };
    }, words);
    assert.deepEqual(look, { fill, behind }, words);
  }
  for (const link of await page.locator("a").all()) assert.match(await link.getAttribute("href"), /^https?:/);
  await page.context().close();
}

/** Without motion, the last screen is shown; it is that of a picture that does not move. */
async function still(looking) {
  const { open, shot, expected } = looking;
  const last = expected.screens.at(-1).rows;
  const calm = await open("picture.svg", { reducedMotion: "reduce" });
  assert.equal(await calm.evaluate(() => document.getAnimations().length), 0);
  await sees(calm, last, "without motion");
  const page = await open("still.svg");
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  await sees(page, last, "in a picture that does not move");
  const box = await page.evaluate(() => document.documentElement.getBoundingClientRect().toJSON());
  const clip = { x: 0, y: 0, width: box.width, height: box.height };
  const [moving, resting] = [await calm.screenshot({ clip }), await page.screenshot({ clip })];
  assert.ok(moving.equals(resting), "both last screens look the same");
  await shot(page, "still");

  // As an image of a page it looks the same.
  const image = await inPage(looking, "still.svg");
  assert.ok(resting.equals(await image.screenshot({ clip })), "an image looks like the picture");
  await Promise.all([calm, page, image].map((page) => page.context().close()));
}

/** A page with the picture as its only image. */
async function inPage({ open, directory }, name) {
  const page = await open(null);
  const data = readFileSync(join(directory, name)).toString("base64");
  await page.setContent(`<!doctype html><style>body { margin: 0 } img { display: block }</style><img alt="a recording">`);
  await page.evaluate(async (data) => {
    const image = document.querySelector("img");
    image.src = `data:image/svg+xml;base64,${data}`;
    await image.decode();
  }, data);
  return page;
}

/** As an image it moves by itself. */
async function plays(looking) {
  const page = await inPage(looking, "picture.svg");
  const first = await page.screenshot();
  for (let next = first; next.equals(first); ) next = await page.screenshot();
  await page.context().close();
}

/** Looks at the picture of a directory. */
export async function pictures(looking) {
  await opened(looking);
  await still(looking);
  await plays(looking);
}
