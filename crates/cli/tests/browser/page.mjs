// Opens the server's page as people do, and looks at what it shows.
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

const watch = (page) => {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("request", (request) => {
    if (new URL(request.url()).port !== new URL(url).port) complaints.push(`asked for ${request.url()}`);
  });
  return page;
};

const visitor = async (options = {}) => watch(await (await browser.newContext(options)).newPage());
const says = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();
const row = (page, name) => page.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
const picture = (page, name) => page.screenshot({ path: join(process.argv[2], `${name}.png`), fullPage: true });

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

const terminal = async (session, name, script) => {
  const made = { type: "terminal", name, command: ["sh", "-c", script] };
  return (await api("POST", `/api/sessions/${session.id}/workers`, made)).worker;
};

const newSession = async (title) => {
  const { session } = await api("POST", "/api/sessions", { type: "quick", locationPath: place });
  return title ? api("PATCH", `/api/sessions/${session.id}`, { title }) : session;
};

/** The link opens the page once, and the page stays open for this browser. */
async function links() {
  const page = await visitor();
  await page.goto(`${url}/#${code}`);
  await says(page, "Live");
  assert.equal(await page.evaluate(() => location.href), `${url}/`, "the code is not left in the address");
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.reload();
  await says(page, "Live");
  assert.deepEqual(complaints, []);

  const late = await visitor();
  await late.goto(`${url}/#${code}`);
  await says(late, "not signed in");
  assert.equal(await late.evaluate(() => localStorage.length), 0);
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

/** Everything that happens is shown without a reload. */
async function follows(page) {
  await page.getByText("Nothing runs yet").waitFor();
  await picture(page, "empty");
  const session = await newSession("Fix the login");
  await page.getByRole("heading", { name: "Fix the login" }).waitFor();
  const worker = await terminal(session, "Terminal 1", "printf '\\033]0;a title\\007'; read x; exit 3");
  await row(page, "Terminal 1").filter({ hasText: "live" }).filter({ hasText: "a title" }).waitFor();
  await api("PATCH", `/api/sessions/${session.id}/workers/${worker.id}`, { name: HOSTILE });
  await row(page, HOSTILE).waitFor();
  const asks = "printf '\\033]7501;state=blocked:kind=question:msg=TWF5IEkgZGVsZXRlIGl0Pw==\\007'; read x";
  await terminal(session, "Second", asks);
  await row(page, "Second").filter({ hasText: "asking" }).filter({ hasText: "May I delete it?" }).waitFor();
  await have(`type ${worker.id}`);
  await row(page, HOSTILE).filter({ hasText: "exited 3" }).waitFor();
  await api("PATCH", `/api/sessions/${session.id}`, { title: HOSTILE });
  await page.getByRole("heading", { name: HOSTILE }).waitFor();
  assert.equal(await page.title(), "abide", "foreign text is text");
  await api("PATCH", `/api/sessions/${session.id}`, { title: "Fix the login" });
  await api("PATCH", `/api/sessions/${session.id}/workers/${worker.id}`, { name: "Tests" });
  await row(page, "Tests").waitFor();
  const other = await newSession();
  await page.getByRole("heading", { name: other.locationPath, exact: true }).waitFor();
  await api("DELETE", `/api/sessions/${other.id}`);
  await page.getByRole("heading", { name: other.locationPath, exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(complaints, []);
}

/** The page outlives the server, and shows what the next one knows. */
async function outlives(page) {
  await have("kill the server");
  await says(page, "not there");
  assert.ok(await row(page, "Second").isVisible(), "what was known stays in sight");
  await have("start the server");
  await says(page, "Live");
  await row(page, "Second").filter({ hasText: "asking" }).waitFor();
  complaints.length = 0;
}

/** For people to look at, and wide enough for a phone. */
async function looks(page) {
  const state = await page.context().storageState();
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
  const desktop = { viewport: { width: 1280, height: 800 } };
  for (const [name, shape] of Object.entries({ phone, desktop })) {
    for (const colorScheme of ["light", "dark"]) {
      const seen = await visitor({ storageState: state, colorScheme, ...shape });
      await seen.goto(url);
      await row(seen, "Second").filter({ hasText: "asking" }).waitFor();
      const wide = await seen.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= shape.viewport.width, `${name}: ${wide} wide`);
      await picture(seen, `${name}-${colorScheme}`);
      await seen.context().close();
    }
  }
}

/** A token that is taken back shows nothing more, at once. */
async function revoked(page) {
  const tokens = await api("GET", "/api/tokens");
  for (const { id, name } of tokens) if (/Mozilla/.test(name)) await api("DELETE", `/api/tokens/${id}`);
  await says(page, "not signed in");
  assert.equal(await page.getByRole("listitem").count(), 0);
  await page.reload();
  await says(page, "not signed in");
  assert.equal(await page.evaluate(() => localStorage.length), 0);
}

try {
  const page = await links();
  await follows(page);
  await outlives(page);
  await looks(page);
  await revoked(page);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
}
process.exit(0);
