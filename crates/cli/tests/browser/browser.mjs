// A browser, and how a script talks with the test that runs it.

import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

/** Starts a browser. No name but those of this machine leads anywhere, and every name leads to this machine. */
export const launch = () =>
  chromium.launch({
    executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * 127.0.0.1",
      // Chromium's own guard of local servers: what our server does without its help is what counts.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ],
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
