/** A browser, and what a person sees in it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { chromium, DEADLINE_MS, type House, type Place } from "./house";

/**
 * With those for a server, no name leads out of this machine, and Chromium's own guard of local servers is off: what our
 * server does without its help is what counts.
 */
const FLAGS: { readonly always: string[]; readonly server: string[] } = JSON.parse(
  readFileSync(new URL("../../crates/testkit/chromium.json", import.meta.url), "utf8"),
);

/** Without a graphics card the terminal is drawn with elements of the page, and its text can be read there. */
const PLAIN = ["--disable-gpu"];
/** A graphics card that is drawn by the processor. */
export const GRAPHICS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};

export interface VisitOptions extends BrowserContextOptions {
  /** What the console may say in this test: that the server was away, mostly. */
  readonly excused?: RegExp;
  /** Run in the page before it begins. */
  readonly before?: () => void;
}

/** What the browser itself puts down when a server is away. */
export const AWAY = /WebSocket connection|net::ERR_|Failed to load resource/;

/** What xterm puts down when a busy machine holds a page up for 20 ms in the middle of a task: nothing was done wrong. */
const HELD_UP = /task queue exceeded allotted deadline/;

/**
 * Files of the page to show instead of those that are in the program: with `ABIDE_SITE=dist/site` a change of the page
 * can be looked at without building the program.
 */
const SITE = process.env["ABIDE_SITE"];

async function showSite(context: BrowserContext, site: string): Promise<void> {
  await context.route(/^[^/]*\/\/[^/]*\/(index\.html|assets\/.*)?$/, async (route) => {
    const { pathname, port } = new URL(route.request().url());
    if (pathname !== "/") return route.fulfill({ path: join(site, pathname) });
    // What the server says about the page holds.
    const { headers } = await fetch(`http://127.0.0.1:${port}/`);
    const policy = headers.get("content-security-policy") ?? "";
    return route.fulfill({ path: join(site, "index.html"), headers: { "content-security-policy": policy } });
  });
}

/** One browser for the tests of a file. */
export function browser(flags: readonly string[] = PLAIN): Visits {
  const visits = new Visits(flags);
  beforeAll(() => visits.launch());
  afterAll(() => visits.close());
  return visits;
}

class Visits {
  readonly #flags: readonly string[];
  #browser: Browser | undefined;

  constructor(flags: readonly string[]) {
    this.#flags = flags;
  }

  async launch(): Promise<void> {
    if (chromium === undefined) return;
    this.#browser = await driver.launch({
      executablePath: chromium,
      args: [...FLAGS.always, ...FLAGS.server, ...this.#flags],
    });
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }

  /** A page of a browser that has never been here. At the end of the test nothing may have been complained about. */
  async stranger({ excused, before, ...options }: VisitOptions = {}): Promise<Page> {
    if (!this.#browser) throw new Error("no browser");
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(DEADLINE_MS);
    if (before) await context.addInitScript(before);
    if (SITE) await showSite(context, SITE);
    const complaints: string[] = [];
    const complain = (text: string) => {
      if (!excused?.test(text) && !HELD_UP.test(text)) complaints.push(text);
    };
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type()))
        complain(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (error) => complain(String(error.error())));
    onTestFinished(async () => {
      await context.close();
      // As one text: a failure shows all of it, where a list would be shown by its length alone.
      expect(complaints.join("\n"), "what the page complained about").toBe("");
    });
    return context.newPage();
  }

  /** A page of a browser that is signed in. */
  async visit(house: House, options: VisitOptions = {}): Promise<Page> {
    const page = await this.stranger(options);
    await page.goto(await house.link());
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    return page;
  }

  /** The same with a worker's terminal in it. */
  async attached(house: House, place: Place, options: VisitOptions = {}): Promise<Page> {
    const page = await this.visit(house, options);
    await show(page, place);
    return page;
  }
}

/** Goes somewhere in a page that is open. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, hash);
}

/** Goes to a worker's terminal, and waits until it is drawn. */
export async function show(page: Page, { session, worker }: Place): Promise<void> {
  await goTo(page, `#/session/${session}/${worker}`);
  await drawn(page, worker);
}

export async function drawn(page: Page, worker: string): Promise<void> {
  await page.locator(`section[data-worker="${worker}"][data-size]`).waitFor();
}

export function terminal(page: Page, worker?: string): Locator {
  return page.locator(worker ? `section[data-worker="${worker}"]` : "section[data-worker]");
}

export async function focusTerminal(page: Page): Promise<void> {
  await terminal(page).locator("textarea").focus();
}

/** A screen as a person sees it. */
export interface SeenScreen {
  readonly rows: readonly string[];
  readonly cursor: { readonly col: number; readonly row: number } | undefined;
}

/** The rows that are seen in an element, and where the cursor is seen: a veil covers rows that are being drawn. */
function read(element: Element): SeenScreen {
  const rows = element.querySelector(".xterm-rows[data-veil]") ?? element.querySelector(".xterm-rows");
  if (!rows) return { rows: [], cursor: undefined };
  const all = [...rows.children];
  const cursor = rows.querySelector(".xterm-cursor");
  const row = cursor?.closest(".xterm-rows > div");
  const cols = Number(element.closest("[data-size]")?.getAttribute("data-size")?.split("x")[0]);
  const cell = rows.getBoundingClientRect().width / cols;
  return {
    rows: all.map((each) => (each.textContent ?? "").replaceAll("\u00a0", " ").trimEnd()),
    cursor:
      cursor && row
        ? {
            col: Math.round((cursor.getBoundingClientRect().left - rows.getBoundingClientRect().left) / cell),
            row: all.indexOf(row),
          }
        : undefined,
  };
}

export function seen(page: Page, worker?: string): Promise<SeenScreen> {
  return terminal(page, worker).evaluate(read);
}

/** The text that an element with a screen in it shows, such as a miniature. */
export async function textIn(place: Locator): Promise<string> {
  return (await place.evaluate(read)).rows.join("\n").trimEnd();
}

export async function text(page: Page, worker?: string): Promise<string> {
  return (await seen(page, worker)).rows.join("\n").trimEnd();
}

const patience = { timeout: DEADLINE_MS, interval: 50 };

/** Waits until something is so. */
export const eventually: typeof expect.poll = (what, options) =>
  expect.poll(what, { ...patience, ...options });

/** Waits until a terminal shows a text. */
export async function shows(page: Page, wanted: string | RegExp): Promise<void> {
  await eventually(() => text(page)).toMatch(wanted);
}

/** Waits until a terminal shows exactly what the worker's host says: text and cursor. */
export async function sameScreen(house: House, page: Page, worker: string): Promise<SeenScreen> {
  const both = async () => {
    const { rows, cursor } = await house.screen(worker);
    const told = {
      rows: rows.map((row) => row.trimEnd()),
      cursor: cursor.visible ? place(cursor) : undefined,
    };
    return { told, shown: await seen(page, worker) };
  };
  const until = Date.now() + DEADLINE_MS;
  for (;;) {
    const { told, shown } = await both();
    if (Date.now() > until) expect(shown).toEqual(told);
    if (JSON.stringify(shown) === JSON.stringify(told)) return shown;
    await new Promise((soon) => setTimeout(soon, 50));
  }
}

const place = ({ col, row }: { col: number; row: number }) => ({ col, row });
