// Opens the server's page as people do. What the page does is in `web/e2e`; here is what it may.
//
// usage: node page.mjs PICTURES, with {url, code, token, place} on standard input

import assert from "node:assert/strict";
import { join } from "node:path";

import { client, have, launch, told } from "./browser.mjs";

const { url, code, token, place } = await told();
const api = client(url, token);
const browser = await launch();

/** What went wrong in a page, or left the machine. */
const complaints = [];

/** What xterm puts down when a busy machine holds a page up in the middle of a task. */
const HELD_UP = /task queue exceeded allotted deadline/;

const watch = (page) => {
  page.on("console", (message) => {
    const bad = ["error", "warning"].includes(message.type()) && !HELD_UP.test(message.text());
    if (bad) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("request", (request) => {
    if (new URL(request.url()).port !== new URL(url).port) complaints.push(`asked for ${request.url()}`);
  });
  return page;
};

const visitor = async (options = {}) => watch(await (await browser.newContext(options)).newPage());
const says = (page, text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
const shows = (page, text) => page.getByText(text).first().waitFor();
const picture = (page, name) => page.screenshot({ path: join(process.argv[2], `${name}.png`), fullPage: true });

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

const terminal = async (session, name, script) => {
  const made = { type: "terminal", name, command: ["sh", "-c", script] };
  return (await api("POST", `/api/sessions/${session.id}/workers`, made)).worker;
};

/** The link opens the page once, and the page stays open for this browser. */
async function links() {
  const page = await visitor();
  await page.goto(`${url}/#${code}`);
  await says(page, "Live");
  assert.ok(!(await page.evaluate(() => location.href)).includes(code), "the code is not left in the address");
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.reload();
  await says(page, "Live");
  assert.deepEqual(complaints, []);

  const late = await visitor();
  await late.goto(`${url}/#${code}`);
  await says(late, "not signed in");
  assert.equal(await late.evaluate(() => localStorage.getItem("abide.token")), null);
  // The browser itself puts it down that it was refused.
  assert.deepEqual(complaints.splice(0).map((each) => /401|403|400/.test(each)), [true]);
  await picture(late, "signed-out");
  await late.context().close();

  // The link that the server makes later has the page's own name.
  const again = await api("POST", "/api/auth/codes");
  const named = await visitor();
  assert.equal(new URL(again.url).hostname, "abide.localhost");
  await named.goto(again.url);
  await says(named, "Live");
  await named.context().close();
  return page;
}

/** What programs and people call things is text, wherever it is shown. */
async function foreignText(page) {
  const made = await api("POST", "/api/sessions", { type: "quick", locationPath: place });
  const session = await api("PATCH", `/api/sessions/${made.session.id}`, { title: `session ${HOSTILE}` });
  const worker = await terminal(session, "Named", `printf '\\033]0;title ${HOSTILE.replaceAll("'", `'\\''`)}\\007'; read x; exit 3`);
  await api("PATCH", `/api/sessions/${session.id}/workers/${worker.id}`, { name: `worker ${HOSTILE}` });
  const asks = `printf '\\033]7501;state=blocked:kind=question:msg=${btoa(`asks ${HOSTILE}`)}\\007'; read x`;
  await terminal(session, "Second", asks);
  for (const what of ["session", "worker", "title", "asks"]) await shows(page, `${what} ${HOSTILE}`);
  await have(`type ${worker.id}`);
  await shows(page, /exited .*3|code 3/i);
  assert.ok(!(await page.title()).includes("owned"));
  await picture(page, "hostile");
  assert.deepEqual(complaints, []);
}

/** The page outlives the server, and shows what the next one knows. */
async function outlives(page) {
  await have("kill the server");
  await says(page, "Reconnecting");
  assert.ok(await page.getByText("Second").first().isVisible(), "the page still shows the sessions it knows");
  await have("start the server");
  await says(page, "Live");
  await shows(page, "Second");
  complaints.length = 0;
}

/** A token that is taken back shows nothing more, at once. */
async function revoked(page) {
  const tokens = await api("GET", "/api/tokens");
  for (const { id, name } of tokens) if (/^Chrome on /.test(name)) await api("DELETE", `/api/tokens/${id}`);
  await says(page, "not signed in");
  assert.equal(await page.getByText("Second").count(), 0);
  await page.reload();
  await says(page, "not signed in");
  assert.equal(await page.evaluate(() => localStorage.getItem("abide.token")), null);
  // The browser logs it when a request was on its way at that moment.
  assert.deepEqual(complaints.splice(0).filter((each) => !/\b401\b/.test(each)), []);
}

try {
  const page = await links();
  await foreignText(page);
  await outlives(page);
  await revoked(page);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
}
process.exit(0);
