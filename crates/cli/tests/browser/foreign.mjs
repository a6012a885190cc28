// Pages of other origins try everything that a page can try, in a browser that is signed in.
//
// usage: node foreign.mjs, with {url, code, token, sockets, posts} on standard input. Ends well if all was refused; that
// nothing has changed is for the test to see.

import assert from "node:assert/strict";
import { createServer } from "node:http";

import { launch, told } from "./browser.mjs";

const { url, code, token, sockets, posts } = await told();
const port = new URL(url).port;
const browser = await launch();
const context = await browser.newContext();

/** What our page is made of; the names change with what is in it. */
const html = await (await fetch(url)).text();
const [script] = /\/assets\/[^"]+\.js/.exec(html);
const [styles] = /\/assets\/[^"]+\.css/.exec(html);

/** Another server on this machine, as an agent might start one. */
const other = createServer((request, answer) => {
  answer.writeHead(200, { "content-type": "text/html" });
  answer.end("<!doctype html><title>another server's</title><body>");
});
await new Promise((ready) => other.listen(0, "127.0.0.1", ready));
const otherPort = other.address().port;

/** In a page: asks for something in a way, and says what it heard: a status, or that it heard nothing. */
const ask = async ([target, options]) => {
  try {
    const answer = await fetch(target, options);
    return answer.type === "opaque" ? "opaque" : answer.status;
  } catch {
    return "nothing";
  }
};

/** In a page: opens a socket, says who it is, and tells whether it was let in. */
const connect = async ([target, protocols, token]) => {
  const socket = new WebSocket(target, protocols);
  return new Promise((done) => {
    socket.onopen = () => {
      // One that has said who it is would have typed this.
      if (!protocols.length) socket.send(JSON.stringify({ type: "auth", token }));
      done("open");
    };
    socket.onerror = () => done("nothing");
  }).finally(() => socket.close());
};

/** All ways to ask for something. With the owner's own token, since a page could have got hold of one. */
const requests = (base) => {
  const bearer = { authorization: `Bearer ${token}` };
  const plain = { method: "POST", headers: { "content-type": "text/plain" } };
  const json = { method: "POST", headers: { "content-type": "application/json" } };
  const reads = ["/api/sessions", "/api/tokens", "/api/health", "/", script].flatMap((path) => [
    [base + path, {}],
    [base + path, { credentials: "include" }],
    [base + path, { mode: "no-cors" }],
    [base + path, { mode: "no-cors", credentials: "include" }],
    [base + path, { headers: bearer, credentials: "include" }],
  ]);
  const writes = posts.flatMap(({ path, body }) => [
    [base + path, { ...plain, body: JSON.stringify(body), mode: "no-cors", credentials: "include" }],
    [base + path, { ...json, body: JSON.stringify(body), credentials: "include" }],
    [base + path, { method: "POST", headers: { ...json.headers, ...bearer }, body: JSON.stringify(body) }],
    [base + path, { method: "DELETE", headers: bearer }],
  ]);
  const exchange = [base + "/api/auth/exchange", { ...json, body: JSON.stringify({ code }) }];
  const simple = [base + "/api/auth/exchange", { ...plain, body: JSON.stringify({ code }), mode: "no-cors" }];
  return [...reads, ...writes, exchange, simple];
};

const openings = (base) =>
  sockets.flatMap((path) => [
    [base.replace("http", "ws") + path, [], token],
    [base.replace("http", "ws") + path, ["abide.v1", `abide.bearer.${token}`], token],
  ]);

/** A page of this origin, and a sandboxed frame in it that has no origin. */
const foreignPage = async (address) => {
  const page = await context.newPage();
  await page.goto(address);
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.srcdoc = "<!doctype html><title>no origin</title>";
    document.body.append(frame);
    return new Promise((loaded) => (frame.onload = loaded));
  });
  return { page, frame: page.frames()[1] };
};

/** The statuses that a page's requests are answered with from now on, whether or not the page gets to see them. */
const statuses = async (page) => {
  const seen = [];
  const session = await context.newCDPSession(page);
  session.on("Network.responseReceivedExtraInfo", ({ statusCode }) => seen.push(statusCode));
  await session.send("Network.enable");
  return seen;
};

/** The page itself may do all of this, so that it is not for another reason that others may not. */
async function ownPage() {
  const page = await context.newPage();
  const link = await fetch(`${url}/api/auth/codes`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  await page.goto((await link.json()).url);
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  const own = await page.evaluate(() => location.origin);
  assert.equal(own, `http://abide.localhost:${port}`);
  assert.equal(await page.evaluate(ask, [`${own}/api/sessions`, { headers: { authorization: `Bearer ${token}` } }]), 200);
  for (const [target, , secret] of openings(own)) {
    assert.equal(await page.evaluate(connect, [target, ["abide.v1", `abide.bearer.${token}`], secret]), "open", target);
  }
  return page;
}

/** A page of another origin gets no answer to any request. */
async function elsewhere(name, ourName) {
  const address = `http://${name}:${otherPort}/`;
  const base = `http://${ourName}:${port}`;
  const { page, frame } = await foreignPage(address);
  const seen = await statuses(page);
  for (const place of [page, frame]) {
    await all(requests(base), async (request) => {
      assert.equal(await place.evaluate(ask, request), "nothing", `${address}: ${JSON.stringify(request)}`);
    });
    await all(openings(base), async (opening) => {
      assert.equal(await place.evaluate(connect, opening), "nothing", `${address}: ${opening[0]}`);
    });
  }
  // A script that our own page has loaded is in the browser's cache, which keeps it from others as we would.
  const asked = requests(base).filter(([target]) => !target.endsWith(script));
  assert.ok(seen.length >= asked.length, `the server answered ${seen.length} times`);
  assert.deepEqual([...new Set(seen)], [403]);
  await embedded(page, base);
  await submitted(address, base);
  await page.close();
}

const all = (list, each) => Promise.all(list.map(each));

/** Our page is in no other page, as a frame or otherwise. */
async function embedded(page, base) {
  const loads = await page.evaluate(async ([base, script, styles]) => {
    const load = (tag, attributes) =>
      new Promise((done) => {
        const made = Object.assign(document.createElement(tag), attributes);
        made.onload = () => done(`${tag} loads`);
        made.onerror = () => done(`${tag} does not`);
        document.body.append(made);
      });
    return [
      await load("script", { src: `${base}${script}` }),
      await load("link", { rel: "stylesheet", href: `${base}${styles}` }),
      await load("img", { src: `${base}/` }),
      navigator.sendBeacon(`${base}/api/auth/codes`, "{}") && "beacon sent",
      await load("iframe", { src: `${base}/` }),
    ];
  }, [base, script, styles]);
  const expected = ["script does not", "link does not", "img does not", "beacon sent", "iframe loads"];
  assert.deepEqual(loads, expected);
  // The frame shows the browser's own page about a refusal.
  assert.deepEqual(page.frames().filter((frame) => frame.url().startsWith(base)), []);
}

/** The server answers a form of another page with 403. */
async function submitted(address, base) {
  for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const { page } = await foreignPage(address);
    const answered = page.waitForResponse((answer) => answer.url().startsWith(base));
    await page.evaluate(
      ([action, enctype]) => {
        const form = Object.assign(document.createElement("form"), { action, enctype, method: "POST" });
        form.append(Object.assign(document.createElement("input"), { name: '{"a":"', value: '"}' }));
        document.body.append(form);
        form.submit();
      },
      [`${base}/api/auth/codes`, enctype],
    );
    assert.equal((await answered).status(), 403, enctype);
    await page.close();
  }
}

/** A name that leads to us by then: for the browser it is one origin with our server. */
async function rebound() {
  const address = `http://rebind.example:${port}`;
  await context.route(`${address}/first`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>rebound</title><body>" }),
  );
  const { page } = await foreignPage(`${address}/first`);
  await all(requests(address), async (request) => {
    assert.equal(await page.evaluate(ask, request), 421, JSON.stringify(request));
  });
  await all(openings(address), async (opening) => assert.equal(await page.evaluate(connect, opening), "nothing"));
  await page.close();
}

try {
  const own = await ownPage();
  await elsewhere("127.0.0.1", "127.0.0.1");
  await elsewhere("localhost", "localhost");
  await elsewhere("abide.localhost", "abide.localhost");
  await elsewhere("evil.example", "127.0.0.1");
  await rebound();
  assert.ok(await own.getByRole("status").filter({ hasText: "Live" }).isVisible(), "our own page noticed nothing");
} finally {
  await browser.close();
  other.close();
}
process.exit(0);
