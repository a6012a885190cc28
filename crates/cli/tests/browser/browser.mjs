// A browser, and how a script talks with the test that runs it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const flags = JSON.parse(readFileSync(new URL("../../../testkit/chromium.json", import.meta.url), "utf8"));

/**
 * Starts a browser. No name but those of this machine leads anywhere, and every name leads to this machine. Chromium's
 * own guard of local servers is off: what our server does without its help is what counts.
 */
export const launch = () =>
  chromium.launch({
    executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
    args: [...flags.always, ...flags.server, "--disable-gpu"],
  });

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** The next thing that the test says. Secrets come this way, since everybody on a machine sees arguments. */
export const told = async () => JSON.parse((await lines.next()).value);

/** Has the test do something, and waits until it has. */
export const have = async (what) => {
  console.log(`please ${what}`);
  return told();
};

/** The API, as a program uses it. */
export const client = (url, token) => async (method, path, body) => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
};
